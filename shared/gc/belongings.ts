import { ReconcileError } from '../model/errors.ts';
import { TAG_PREFIX, tagValues } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';
import { loadBalancerOfPort } from '../model/load-balancer/octavia.ts';

/** Everything in a project that clusters may have left there. */
export interface Belongings {
  readonly loadBalancers: readonly WireResource[];
  readonly listeners: readonly WireResource[];
  readonly pools: readonly WireResource[];
  readonly floatingIPs: readonly WireResource[];
  readonly securityGroups: readonly WireResource[];
  readonly ports: readonly WireResource[];
  readonly secrets: readonly WireResource[];
}

type Reads = Pick<Cloud, 'list' | 'projectId'>;

/** One list of each kind. Throws if one of them fails: what is not known to be unused is not deleted. */
export async function observeBelongings(cloud: Reads): Promise<Belongings> {
  const project = await cloud.projectId();
  // an administrator sees other projects, too
  const own = ({ project_id: id }: WireResource): boolean => id === undefined || id === project;
  const list = async (kind: Parameters<Cloud['list']>[0]): Promise<readonly WireResource[]> =>
    (await cloud.list(kind)).filter(own);
  // before the load balancers: the VIP port of one that is made meanwhile would look forgotten
  const ports = await list('port');
  const [loadBalancers, listeners, pools, floatingIPs, securityGroups, secrets] = await Promise.all([
    list('loadbalancer'),
    list('listener'),
    list('pool'),
    list('floatingip'),
    list('securitygroup'),
    listSecrets(cloud),
  ]);
  return { loadBalancers, listeners, pools, floatingIPs, securityGroups, ports, secrets };
}

/** No secrets in a cloud without Barbican. One that answers 403 may have some. */
async function listSecrets(cloud: Reads): Promise<readonly WireResource[]> {
  try {
    return await cloud.list('secret');
  } catch (error) {
    if (error instanceof ReconcileError && error.code === 'CONFIG_INVALID') return [];
    throw error;
  }
}

/** The ids of the clusters that a resource says it belongs to. */
export function clustersOf(wire: WireResource): readonly string[] {
  const { mode } = wire;
  const isStored = typeof mode === 'string' && String(wire['name']).startsWith('levelset/');
  if (isStored && mode.startsWith(TAG_PREFIX)) return [mode.slice(TAG_PREFIX.length)];
  return tagValues(wire['tags'], 'cluster');
}

/** When a resource was last written, in milliseconds since 1970; 0 if it does not say. */
function lastWrittenAt(wire: WireResource): number {
  const { updated_at, updated, created_at, created } = wire;
  const last = [updated_at, updated, created_at, created].find((time) => typeof time === 'string');
  if (typeof last !== 'string') return 0;
  const time = Date.parse(/Z|[+-]\d\d:\d\d$/.test(last) ? last : `${last}Z`);
  return Number.isNaN(time) ? 0 : time;
}

/** The kinds that say by themselves which cluster they are of. */
const TAGGED = ['loadBalancers', 'listeners', 'floatingIPs', 'securityGroups', 'secrets'] as const;

/** A cluster whose tag is in the project. */
export interface FoundCluster {
  /** The UID of its namespace kube-system. */
  readonly id: string;
  /** The apiserver that was asked has this UID. */
  readonly isThisOne: boolean;
  /** When something of it was last written in OpenStack, in milliseconds since 1970; 0 if nothing says so. */
  readonly writtenAt: number;
  readonly has: Readonly<Record<(typeof TAGGED)[number], number>>;
}

/** The clusters that a registry leads to. */
export interface NamedClusters {
  /** Names of entries by the UIDs of their clusters. */
  readonly entries: ReadonlyMap<string, string>;
  /** Names of entries whose kube-apiservers have not said which clusters they are. */
  readonly silent: readonly string[];
}

/** The clusters that have something in the project, the one that was written last first. A pool counts with its load balancer. */
export function findClusters(all: Belongings, thisOne: string | undefined): readonly FoundCluster[] {
  const tagged = TAGGED.flatMap((kind) =>
    all[kind].flatMap((wire) => clustersOf(wire).map((id) => ({ id, kind, writtenAt: lastWrittenAt(wire) }))),
  );
  return [...Map.groupBy(tagged, ({ id }) => id)]
    .map(([id, own]) => {
      const counts = TAGGED.map((kind) => [kind, own.filter((one) => one.kind === kind).length]);
      const has = Object.fromEntries(counts) as FoundCluster['has'];
      return {
        id,
        isThisOne: id === thisOne,
        writtenAt: own.reduce((last, one) => Math.max(last, one.writtenAt), 0),
        has,
      };
    })
    .sort((a, b) => b.writtenAt - a.writtenAt);
}

/**
 * VIP ports that Octavia has left: the load balancer in their name is gone. Nothing on them says for which cluster they
 * were, so only a person can tell.
 */
export function forgottenVips({ ports, loadBalancers }: Belongings): readonly WireResource[] {
  const there = new Set(loadBalancers.map(({ id }) => id));
  const vips = new Set(loadBalancers.map((lb) => lb['vip_port_id']));
  return ports.filter((port) => {
    const lb = loadBalancerOfPort(port);
    return lb !== undefined && !there.has(lb) && !vips.has(port.id);
  });
}
