import { CONTROLLER_NAMES } from '../../shared/config/config.ts';
import type { Node, NodeCondition } from '../../shared/model/kubernetes.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { Sandbox, SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import type { World } from '../../shared/ports.ts';
import { aConfig } from './config.ts';
import { run, startSandboxWorld, type SandboxWorld } from './sandbox-world.ts';
import { callsSince } from './told.ts';

export interface RouteWorld extends SandboxWorld {
  /** A Node with a server; `at` makes its podCIDR, unless others are given. */
  addNode(at: number, podCIDRs?: readonly string[], network?: string): void;
  /** The address of a Node's port. */
  hop(at: number): string;
  /** One run, by default for an event. */
  reconcile(request?: Partial<ReconcileRequest>, by?: World): Promise<Report>;
  /** Runs the key as the queue does, until it is not requeued. */
  routed(by?: World): Promise<Report>;
  /** On the router, as `DESTINATION NEXTHOP`. */
  routes(): readonly string[];
  /** CIDRs that a Node's port lets through. */
  pairs(at: number): readonly string[];
  unavailable(at: number): Pick<NodeCondition, 'status' | 'reason'> | undefined;
  /** The Events at a Node, each with the component that says it. */
  events(at: number): readonly string[];
  /** Requests to OpenStack since the last time. */
  calls(): readonly string[];
}

export const nodeName = (at: number): string => `node-${at}`;

/** A cluster without Nodes on the router of its cloud; with `cloudOf` on that of another cluster's. */
export async function startRouteWorld(
  clusterCidrs: readonly string[] = ['10.244.0.0/16'],
  cloudOf?: Sandbox,
  octavia: SandboxOptions['octavia'] = {},
): Promise<RouteWorld> {
  const bare = await startSandboxWorld({ nodes: 0, octavia }, {}, cloudOf);
  const { kube } = bare.sandbox;
  const cloudSandbox = cloudOf ?? bare.sandbox;
  const { cloud } = cloudSandbox;
  const prefix = cloudOf ? 'other-' : '';
  const world = await bare.another({
    ...aConfig(cloudSandbox.authUrl),
    controllers: CONTROLLER_NAMES,
    clusterCidrs,
    route: { routerId: cloud.routerId },
  });
  const portOf = (at: number) => {
    const server = cloud.servers.find(({ name }) => name === prefix + nodeName(at));
    return cloud.ports.find(({ device_id: id }) => id === server?.id);
  };
  const hop = (at: number): string => portOf(at)?.fixed_ips[0]?.ip_address ?? '';
  const reconcile: RouteWorld['reconcile'] = (request = {}, by = world) =>
    run({ key: 'routes', trigger: 'audit', ...request }, by);
  const nodeOf = (at: number): Node => kube.get('Node', undefined, nodeName(at)) as unknown as Node;
  return {
    ...bare,
    world,
    hop,
    reconcile,
    addNode: (at, podCIDRs = [`10.244.${at}.0/24`], network = 'private') => {
      const { id } = cloud.addNovaServer(prefix + nodeName(at), { networks: [network] });
      kube.apply({
        kind: 'Node',
        metadata: { name: nodeName(at) },
        spec: { providerID: `openstack:///${id}`, podCIDR: podCIDRs[0], podCIDRs: [...podCIDRs] },
        status: { addresses: [{ type: 'InternalIP', address: hop(at) }] },
      });
    },
    routed: async (by = world) => {
      for (let tries = 0; tries < 20; tries += 1) {
        const report = await reconcile({}, by);
        if (report.outcome.status !== 'progressing') return report;
      }
      throw new Error('the routes did not settle');
    },
    routes: () => (cloud.routers[0]?.routes ?? []).map((one) => `${one.destination} ${one.nexthop}`),
    pairs: (at) =>
      ((portOf(at)?.['allowed_address_pairs'] ?? []) as readonly { ip_address: string }[]).map(
        (one) => one.ip_address,
      ),
    unavailable: (at) => {
      const found = nodeOf(at).status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
      return found && { status: found.status, reason: found.reason };
    },
    events: (at) =>
      kube
        .list('Event', 'default')
        .filter((event) => (event['involvedObject'] as { name?: string }).name === nodeName(at))
        .map((event) => {
          const { component } = event['source'] as { component: string };
          return `${component} ${String(event['reason'])}: ${String(event['message'])}`;
        }),
    calls: callsSince(cloudSandbox),
  };
}
