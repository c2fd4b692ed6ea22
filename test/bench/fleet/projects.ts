/** Many clusters as they are when nothing is left to do: the first project is made by levelset itself, the others are its copies. */
import type { Lots } from '../../../infra/sandbox/lots.ts';
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES } from '../../../shared/config/config.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { addNodeIn, SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

/** What an id of the nth cluster begins with. */
const prefixOf = (cluster: number): string => (0xa0000000 + cluster).toString(16);

/** So many ids are drawn by nobody, since a copy has those of what it was copied from. */
const OF_COPIES = 1_000_000;

/** Lots of one cluster. Two that draw as often have the same ids but for their prefixes. */
class CopiedLots implements Lots {
  readonly #prefix: string;
  #drawn = 0;

  constructor(cluster: number) {
    this.#prefix = prefixOf(cluster);
  }

  id(): string {
    return `${this.#prefix}-0000-4000-8000-${String(this.#next()).padStart(12, '0')}`;
  }

  bytes(size: number): Buffer {
    const hex = this.#next().toString(16);
    const prefix = size < 16 ? '' : this.#prefix;
    return Buffer.from(prefix + hex.padStart(size * 2 - prefix.length, '0'), 'hex');
  }

  skip(): void {
    this.#drawn = OF_COPIES;
  }

  #next(): number {
    return (this.#drawn += 1);
  }
}

/** A cluster with the project that it is in. */
export interface SimulatedCluster {
  readonly name: string;
  readonly inside: SandboxInside;
  /** The number of the first cluster of its project. */
  readonly project: number;
}

export interface ClustersWanted {
  readonly clusters: number;
  readonly services: number;
  /** So many projects of so many clusters each; of the others each has its own. */
  readonly shared: { readonly projects: number; readonly clusters: number };
  readonly pendingMs: number;
}

/** In names and descriptions, as a cluster with this flag has them. */
export const CLUSTER_NAME = 'kubernetes';
const NODES = 3;
/** Clusters that others are copied from have numbers of their own. */
const ORIGINALS = 0x100000;
/** A watermark may not rest on a change of the last two seconds. */
const SURE_MS = 3_000;

/** Makes them all; the clock is theirs. */
export async function makeClusters(wanted: ClustersWanted, clock: VirtualClock): Promise<SimulatedCluster[]> {
  const { clusters, services, shared, pendingMs } = wanted;
  const ofShared = shared.projects * shared.clusters;
  const alone = await original(ORIGINALS, 1, services, clock);
  const together = ofShared > 0 ? await original(ORIGINALS + 1, shared.clusters, services, clock) : undefined;
  const made: SimulatedCluster[] = [];
  while (made.length < clusters) {
    const isShared = made.length < ofShared;
    made.push(...copyOf(isShared && together ? together : alone, made.length, pendingMs, clock));
  }
  return made;
}

interface Original {
  readonly number: number;
  readonly insides: readonly SandboxInside[];
}

/** Clusters of one project with Services that levelset has settled. */
async function original(
  number: number,
  clusters: number,
  services: number,
  clock: VirtualClock,
): Promise<Original> {
  const insides = emptyProject(number, clusters, 0, clock).map(({ inside }) => inside);
  for (const [at, inside] of insides.entries()) {
    for (let node = 1; node <= NODES; node += 1) addNodeIn(inside, `node-${at}-${node}`, inside);
    const world = inProcessWorld(inside, { ...aConfig(AUTH_URL), controllers: CONTROLLER_NAMES }, SILENT);
    const run = (key: Parameters<typeof reconcile>[0]['key']): ReturnType<typeof reconcile> =>
      reconcile({ key, trigger: 'audit' }, world, { remainingMs: () => 60_000 });
    for (let service = 0; service < services; service += 1) {
      const name = serviceName(service);
      inside.kube.apply(aService({ name }));
      for (let status = ''; status !== 'settled';) {
        ({ status } = (await run(serviceKey('default', name))).outcome);
        if (status === 'failed' || status === 'blocked') throw new Error(`${name} is ${status}`);
        clock.advance(10);
      }
    }
    clock.advance(SURE_MS);
    for (const { key } of (await sweep(world)).requests) await run(key);
    forgetWatermarks(inside);
  }
  return { number, insides };
}

/** They rest on ids, which copies have others of. So the first sweep of a copy compares all Services in full. */
function forgetWatermarks({ kube }: SandboxInside): void {
  for (const { metadata } of kube.list('ConfigMap', 'levelset'))
    if (metadata.name.startsWith('levelset-state')) kube.delete('ConfigMap', 'levelset', metadata.name);
}

function copyOf(from: Original, first: number, pendingMs: number, clock: VirtualClock): SimulatedCluster[] {
  const made = emptyProject(first, from.insides.length, pendingMs, clock);
  const prefixes = from.insides.map((_, at) => [prefixOf(from.number + at), prefixOf(first + at)] as const);
  const change = (text: string): string =>
    prefixes.reduce((changed, [old, own]) => changed.replaceAll(old, own), text);
  for (const [at, { inside, lots }] of made.entries()) {
    const its = from.insides[at];
    if (its) inside.kube.fill(its.kube, change);
    if (its && at === 0) fillCloud(inside.cloud, its.cloud, change);
    lots.skip();
  }
  describeFloatingIPs(made.map(({ inside }) => inside));
  return made.map(({ inside }, at) => ({ name: `cluster-${first + at}`, inside, project: first }));
}

const TABLES = [
  ...(['networks', 'subnets', 'ports', 'floatingips', 'routers', 'securityGroups'] as const),
  ...(['securityGroupRules', 'qosPolicies', 'servers', 'secrets', 'secretContainers'] as const),
  ...(['loadbalancers', 'listeners', 'pools', 'members', 'healthmonitors', 'l7policies', 'l7rules'] as const),
] as const;

/** Makes a cloud a copy of another one in which nothing is PENDING, with its texts changed. */
function fillCloud(
  cloud: SandboxInside['cloud'],
  from: SandboxInside['cloud'],
  change: (text: string) => string,
): void {
  for (const table of TABLES) {
    const copies = JSON.parse(change(JSON.stringify([...from[table]]))) as never[];
    cloud[table].splice(0);
    cloud[table].push(...copies);
  }
}

/** Their descriptions have a fingerprint of ids. */
function describeFloatingIPs(insides: readonly SandboxInside[]): void {
  for (const { kube, cloud } of insides) {
    const id = kube.get('Namespace', undefined, 'kube-system')?.metadata.uid ?? '';
    for (const floatingIP of cloud.floatingips.of('tags', `levelset-cluster=${id}`)) {
      const name = / default\/(\S+) /.exec(floatingIP.description)?.[1] ?? '';
      floatingIP.description = floatingIPDescription(
        { id, name: CLUSTER_NAME },
        { namespace: 'default', name },
      );
    }
  }
}

/** Clusters without a Node before one OpenStack. */
function emptyProject(
  first: number,
  clusters: number,
  pendingMs: number,
  clock: VirtualClock,
): { readonly inside: SandboxInside; readonly lots: CopiedLots }[] {
  const all = Array.from({ length: clusters }, (_, at) => {
    const lots = new CopiedLots(first + at);
    return { lots, inside: createSandbox({ nodes: 0, pendingMs, ...ROOM }, clock, lots) };
  });
  const cloud = all[0]?.inside;
  if (!cloud) throw new Error('a project without a cluster');
  Object.assign(cloud.cloud.quotas, { port: -1, floatingip: -1 });
  // whose limits clusters share, levelset tells by the account
  Object.assign(cloud.cloud.applicationCredential, { id: `${prefixOf(first)}${'0'.repeat(24)}` });
  return all.map(({ inside, lots }) => {
    const { openstack } = cloud.fronts;
    const whole = { ...inside, cloud: cloud.cloud, fronts: { ...inside.fronts, openstack } };
    return { lots, inside: whole };
  });
}

const ROOM = { cidrs: { public: '203.0.0.0/16', private: '10.0.0.0/16' } };

export const serviceName = (number: number): string => `svc-${number}`;
