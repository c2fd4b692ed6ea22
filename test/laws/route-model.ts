import { newMemory } from '../../shared/memory/memory.ts';
import { CONTROLLER_NAMES } from '../../shared/config/controllers.ts';
import type { Node, NodeCondition } from '../../shared/model/kubernetes.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type {
  AddressPair,
  Route,
  RoutePort,
  RouteRecords,
  WrittenRoutes,
} from '../../shared/model/network/routes.ts';
import type { Kube, World } from '../../shared/ports.ts';
import { reconcileRoutes } from '../../shared/routes/reconcile.ts';
import { findRoutes } from '../../shared/routes/sweep.ts';
import { aConfig } from '../support/config.ts';
import { portOf, ROUTER } from '../support/route-reading.ts';
import { SILENT } from '../support/sandbox-world.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';

/** Ends a run at one of its writes: before it has an effect, or after. */
export class Fuse {
  left = Infinity;
  after = false;

  async burn<T>(write: () => Promise<T> | T): Promise<T> {
    this.left -= 1;
    if (this.left === 0 && !this.after) throw new Error('killed');
    const answer = await write();
    if (this.left === 0) throw new Error('killed');
    return answer;
  }
}

/** A router with an interface, and the ports of four Nodes of one cluster and three of another. */
export class RouterModel extends SimulatedCloud {
  readonly fuse: Fuse;

  constructor(fuse: Fuse, routes: readonly Route[], pairs: readonly AddressPair[]) {
    const inside = { ...portOf(254), device_id: ROUTER, device_owner: 'network:router_interface' };
    const ports = [1, 2, 3, 4, 11, 12, 13].map((at) => ({
      ...portOf(at),
      allowed_address_pairs: [...pairs],
    }));
    super({
      router: [{ id: ROUTER, routes: [...routes], revision_number: 1 }],
      port: [inside, ...ports].map((port) => ({
        ...port,
        revision_number: 1,
      })),
    });
    this.fuse = fuse;
  }

  override write<T>(title: string, send: () => Promise<T>): Promise<T> {
    return this.fuse.burn(() => super.write(title, send));
  }

  /** By hand: the routes to these Nodes, and the pairs of these Nodes' ports. */
  takeAway(routesTo: readonly number[], pairsOf: readonly number[]): void {
    const [router] = this.all('router');
    const isTaken = ({ nexthop }: Route): boolean => routesTo.some((at) => nexthop === `10.0.0.${at}`);
    const routes = (router?.['routes'] ?? []) as readonly Route[];
    Object.assign(router ?? {}, { routes: routes.filter((route) => !isTaken(route)) });
    for (const port of this.all('port'))
      if (pairsOf.some((at) => port.id === portOf(at).id)) Object.assign(port, { allowed_address_pairs: [] });
  }

  get routes(): readonly string[] {
    const [router] = this.all('router');
    return (router?.['routes'] as readonly Route[])
      .map(({ destination, nexthop }) => `${destination} ${nexthop}`)
      .sort();
  }

  /** `PORT MAC CIDR` */
  get pairs(): readonly string[] {
    return (this.all('port') as unknown as readonly RoutePort[])
      .flatMap((port) =>
        (port.allowed_address_pairs ?? []).map(
          (pair) => `${port.id} ${pair.mac_address ?? port.mac_address ?? ''} ${pair.ip_address}`,
        ),
      )
      .sort();
  }
}

/** One cluster's Nodes and its record. */
export class ClusterModel {
  readonly memory = newMemory();
  nodes: readonly Node[] = [];
  records: RouteRecords = new Map();
  readonly cloud: RouterModel;
  readonly kube: Kube;

  constructor(cloud: RouterModel) {
    this.cloud = cloud;
    const { fuse } = cloud;
    const quiet = () => Promise.resolve();
    this.kube = {
      during: () => this.kube,
      listNodes: () => Promise.resolve(this.nodes),
      routes: {
        load: () => Promise.resolve(this.records),
        save: (records: RouteRecords) =>
          fuse.burn(() => {
            this.#keep(records);
          }),
      },
      recordEvent: quiet,
      patchNodeStatus: (
        node: Node,
        { conditions = [] }: { readonly conditions?: readonly NodeCondition[] },
      ) => fuse.burn(() => this.#tell(node, conditions)),
    } as unknown as Kube;
  }

  get record(): WrittenRoutes {
    return [...this.records.values()].flat();
  }

  /** Those that were there keep their conditions. */
  become(nodes: readonly Node[]): void {
    this.nodes = nodes.map((node) => {
      const old = this.nodes.find(({ metadata }) => metadata.name === node.metadata.name);
      const { conditions = [] } = old?.status ?? {};
      return { ...node, status: { ...node.status, conditions } };
    });
  }

  async run(): Promise<Plan | undefined> {
    const { plan } = await reconcileRoutes({ key: 'routes', trigger: 'command' }, this.#world(), {
      remainingMs: () => 60_000,
    });
    return plan;
  }

  /** The keys that a sweep finds. */
  async sweep(): Promise<readonly string[]> {
    const { keys } = await findRoutes(() => Promise.resolve(this.nodes), this.#world(), {});
    return keys;
  }

  #world(): World {
    const { kube, cloud, memory } = this;
    const config = {
      ...aConfig(),
      controllers: CONTROLLER_NAMES,
      clusterCidrs: ['10.244.0.0/16'],
      route: { routerId: ROUTER },
    };
    return { kube, cloud, config, clock: { now: () => 0 }, memory, log: SILENT } as unknown as World;
  }

  /** `NAME STATUS` */
  get told(): readonly string[] {
    return this.nodes.map(
      ({ metadata, status }) => `${metadata.name} ${status?.conditions?.[0]?.status ?? ''}`,
    );
  }

  #keep(records: RouteRecords): void {
    const all = [...this.records, ...records];
    this.records = new Map([...new Map(all)].filter(([, routes]) => routes.length > 0));
  }

  #tell(node: Node, conditions: readonly NodeCondition[]): Node {
    const told = { ...node, status: { ...node.status, conditions } };
    this.nodes = this.nodes.map((one) => (one.metadata.name === node.metadata.name ? told : one));
    return told;
  }
}
