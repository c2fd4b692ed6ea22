/** Many clusters as they are when nothing is left to do: the first project is made by levelset itself, the others are its copies. */
import type { Lots } from '../../../infra/sandbox/lots.ts';
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES } from '../../../shared/config/config.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { sweep } from '../../../shared/sweep.ts';
import { TABLES } from '../../faults/matrix/whole-world.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { addNodeIn, SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { runsOf } from '../../support/virtual-time.ts';
import { PENDING_MS, type FleetSize } from './fleet.ts';

/** What an id of the nth cluster begins with. */
const prefixOf = (cluster: number): string => (0xa0000000 + cluster).toString(16);

/** So many ids are drawn by nobody, since a copy has those of what it was copied from. */
const OF_COPIES = 1_000_000;

/** Lots of one cluster. Two that draw as often have the same ids but for their prefixes. */
function copiedLots(cluster: number): Lots & { readonly skip: () => void } {
  const own = prefixOf(cluster);
  let drawn = 0;
  return {
    id: () => `${own}-0000-4000-8000-${String((drawn += 1)).padStart(12, '0')}`,
    bytes: (size) => {
      const hex = (drawn += 1).toString(16);
      const prefix = size < 16 ? '' : own;
      return Buffer.from(prefix + hex.padStart(size * 2 - prefix.length, '0'), 'hex');
    },
    skip: () => {
      drawn = OF_COPIES;
    },
  };
}

/** A cluster with the project that it is in. */
export interface SimulatedCluster {
  readonly name: string;
  readonly inside: SandboxInside;
  /** The number of the first cluster of its project. */
  readonly project: number;
}

/** In names and descriptions, as a cluster with this flag has them. */
export const CLUSTER_NAME = 'kubernetes';
const NODES = 3;
/** So many clusters share a project, and one cluster in so many is one of those; of the others each has its own. */
const CLUSTERS_OF_SHARED = 5;
const SHARED_OF = 5;
/** Clusters that others are copied from have numbers of their own. */
const ORIGINALS = 0x100000;
/** A settled record may not rest on a change of the last two seconds. */
const SURE_MS = 3_000;

/** Makes them all; the clock is theirs. */
export async function makeClusters({ clusters, services }: FleetSize, clock: VirtualClock) {
  const ofShared = Math.floor(clusters / SHARED_OF / CLUSTERS_OF_SHARED) * CLUSTERS_OF_SHARED;
  const alone = await original(ORIGINALS, 1, services, clock);
  const together = ofShared > 0 ? await original(ORIGINALS + 1, CLUSTERS_OF_SHARED, services, clock) : alone;
  const made: SimulatedCluster[] = [];
  while (made.length < clusters)
    made.push(...copyOf(made.length < ofShared ? together : alone, made.length, clock));
  return made;
}

type Original = Awaited<ReturnType<typeof original>>;

/** Clusters of one project with Services that levelset has settled. */
async function original(number: number, clusters: number, services: number, clock: VirtualClock) {
  const insides = emptyProject(number, clusters, 0, clock).map(({ inside }) => inside);
  for (const [at, inside] of insides.entries()) {
    for (let node = 1; node <= NODES; node += 1) addNodeIn(inside, `node-${at}-${node}`, inside);
    const world = inProcessWorld(inside, { ...aConfig(AUTH_URL), controllers: CONTROLLER_NAMES }, SILENT);
    for (let service = 0; service < services; service += 1) {
      const name = serviceName(service);
      inside.kube.apply(aService({ name }));
      const reports = await runsOf({ key: serviceKey('default', name), trigger: 'audit' }, world, inside);
      const status = reports.at(-1)?.outcome.status;
      if (status !== 'settled') throw new Error(`${name} is ${status ?? 'not run'}`);
    }
    clock.advance(SURE_MS);
    for (const request of (await sweep(world)).requests) await runsOf(request, world, inside);
    forgetSettledRecords(inside);
  }
  return { number, insides };
}

/** They rest on ids, which copies have others of. So the first sweep of a copy compares all Services in full. */
function forgetSettledRecords({ kube }: SandboxInside): void {
  for (const { metadata } of kube.list('ConfigMap', 'levelset'))
    if (metadata.name.startsWith('levelset-state')) kube.delete('ConfigMap', 'levelset', metadata.name);
}

function copyOf(from: Original, first: number, clock: VirtualClock): readonly SimulatedCluster[] {
  const made = emptyProject(first, from.insides.length, PENDING_MS, clock);
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

type Cloud = SandboxInside['cloud'];

/** Makes a cloud a copy of another one in which nothing is PENDING, with its texts changed. */
function fillCloud(cloud: Cloud, from: Cloud, change: (text: string) => string): void {
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
function emptyProject(first: number, clusters: number, pendingMs: number, clock: VirtualClock) {
  const all = Array.from({ length: clusters }, (_, at) => {
    const lots = copiedLots(first + at);
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
