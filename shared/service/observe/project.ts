import { ReconcileError } from '../../model/errors.ts';
import { onceForEach } from '../../model/once-for.ts';
import { clusterTag, type ClusterIdentity } from '../../model/ownership.ts';
import type { SweepFigures } from '../../model/outcome.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Cloud, Query, ReadKind, CloudReader } from '../../ports.ts';
import { attempt, orUnread, onceAMinute } from '../../observe/reads.ts';
import { listStored } from './certificates.ts';
import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';

/** A list of the whole project, or the error in its place. A list that failed is not an empty list. */
export type Listed = readonly WireResource[] | ReconcileError;

/** The lists that one sweep reads from OpenStack, whatever the number of Services. Each list may fail alone. */
export interface Project {
  readonly loadBalancers: Listed;
  /** All floating IPs of the project. */
  readonly floatingIPs: Listed;
  /** Security groups with this cluster's tag, with their rules. */
  readonly securityGroups: Listed;
  readonly nodePorts: Listed;
  readonly secrets: Listed;
}

export async function observeProject(
  cluster: ClusterIdentity,
  cloud: Cloud,
  listNodePorts: () => Promise<readonly WireResource[]>,
): Promise<Project> {
  const [loadBalancers, floatingIPs, securityGroups, nodePorts, secrets] = await Promise.all([
    attempt(listOurLoadBalancers(cluster, cloud)),
    attempt(cloud.list('floatingip')),
    attempt(cloud.list('securitygroup', { tags: clusterTag(cluster) })),
    attempt(listNodePorts()),
    attempt(listStored(cluster, cloud)),
  ]);
  return { loadBalancers, floatingIPs, securityGroups, nodePorts, secrets };
}

export function listOurLoadBalancers(
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  return cloud.list('loadbalancer', { tags: clusterTag(cluster) });
}

/** None if the list failed: only for questions whose answer stays right when resources are missing. */
export function foundIn(list: Listed): readonly WireResource[] {
  return list instanceof ReconcileError ? [] : list;
}

/** Lists of a sweep answer, or throw if they failed. What the sweep does not list, such as listeners, is listed by a call. */
export function listsFor({
  project,
  cloud,
}: {
  readonly project?: Project;
  readonly cloud: Pick<Cloud, 'list'>;
}): Pick<Cloud, 'list'> {
  if (!project) return cloud;
  const all: Partial<Record<ReadKind, Listed>> = {
    loadbalancer: project.loadBalancers,
    floatingip: project.floatingIPs,
    securitygroup: project.securityGroups,
    port: project.nodePorts,
    secret: project.secrets,
  };
  return {
    list: async (kind, query = {}) => {
      const list = all[kind];
      if (list instanceof ReconcileError) throw list;
      return list ? found(list, query) : cloud.list(kind, query);
    },
  };
}

/** The filters of Octavia and Neutron that observing uses, by look-up, since each of thousands of Services asks each list. */
function found(list: readonly WireResource[], query: Query): readonly WireResource[] {
  const filters = Object.entries(query).flatMap(([name, value]) => filtersOf(name, value));
  const [fewest, ...others] = filters
    .map((filter) => ({ filter, indexes: indexesOf(list, filter) }))
    .toSorted((a, b) => a.indexes.length - b.indexes.length);
  if (!fewest) return list;
  return [...new Set(fewest.indexes)]
    .toSorted((a, b) => a - b)
    .flatMap((index) => list[index] ?? [])
    .filter((wire) => others.every(({ filter }) => passes(wire, filter)));
}

interface Filter {
  readonly name: string;
  readonly values: readonly unknown[];
}

function filtersOf(name: string, value: Query[string]): readonly Filter[] {
  if (name === 'fields') return [];
  if (name === 'tags-any') return [{ name: 'tags', values: String(value).split(',') }];
  const values = [value].flat();
  if (name !== 'tags') return [{ name, values }];
  return values
    .join()
    .split(',')
    .map((tag) => ({ name, values: [tag] }));
}

function passes(wire: WireResource, { name, values }: Filter): boolean {
  return valuesOf(wire, name).some((value) => values.includes(value));
}

/** Where in the list what passes is; a resource with several of the values comes several times. */
function indexesOf(list: readonly WireResource[], { name, values }: Filter): readonly number[] {
  const indexes = byValue(list, name);
  return values.flatMap((value) => indexes.get(value) ?? []);
}

const byValue = onceForEach(
  (name: string) => name,
  (list: readonly WireResource[], name): ReadonlyMap<unknown, readonly number[]> => {
    const indexes = new Map<unknown, number[]>();
    for (const [index, wire] of list.entries())
      for (const value of valuesOf(wire, name)) {
        const there = indexes.get(value);
        if (there) there.push(index);
        else indexes.set(value, [index]);
      }
    return indexes;
  },
);

function valuesOf(wire: WireResource, name: string): readonly unknown[] {
  if (name === 'tags' || name === 'security_groups') return wire[name] as readonly string[];
  if (name !== 'fixed_ips') return [wire[name]];
  const ips = wire[name] as readonly { readonly ip_address: string }[];
  return ips.map(({ ip_address: address }) => `ip_address=${address}`);
}

export function statesOf(loadBalancers: Listed): Pick<SweepFigures, 'loadBalancersByState'> {
  if (loadBalancers instanceof ReconcileError) return {};
  const byState = Map.groupBy(loadBalancers, (lb) => String(lb['provisioning_status']));
  return {
    loadBalancersByState: Object.fromEntries([...byState].map(([state, { length }]) => [state, length])),
  };
}

/** Flavors and zones are read once a minute for the process. All are listed, because a Problem names what could be chosen. */
export async function observeOffers({ flavors, zones }: OfferQuestion, source: CloudReader): Promise<Offers> {
  return {
    ...(flavors ? { flavors: await listOf('flavor', source) } : {}),
    ...(zones ? { zones: await listOf('availabilityzone', source) } : {}),
  };
}

async function listOf(
  kind: 'flavor' | 'availabilityzone',
  source: CloudReader,
): Promise<readonly Offer[] | undefined> {
  const read = onceAMinute(source, `${kind}s`, () => source.cloud.list(kind));
  const found = await orUnread(source, undefined, read);
  return found?.map(({ id, name, enabled }) => ({ id, name: String(name), enabled: enabled === true }));
}

const COUNTED = ['loadbalancer', 'listener', 'pool', 'healthmonitor'] as const;

/** What the quota still allows of each kind; absent: no limit. It costs one call a minute, and one list for each limited kind. */
export async function observeHeadroom(reader: CloudReader): Promise<Readonly<Record<string, number>>> {
  const { cloud } = reader;
  const limits = await onceAMinute(reader, 'quota', () => cloud.quota());
  const limited = (kind: string): boolean => (limits[kind] ?? -1) >= 0;
  const left = async (kind: (typeof COUNTED)[number]): Promise<readonly [string, number]> => {
    const used = await cloud.list(kind, { fields: ['id'] });
    return [kind, (limits[kind] ?? 0) - used.length];
  };
  const counted = await Promise.all(COUNTED.filter(limited).map(left));
  if (!limited('member')) return Object.fromEntries(counted);
  const pools = await cloud.list('pool', { fields: ['id', 'members'] });
  const members = pools.reduce((sum, pool) => sum + (pool['members'] as readonly unknown[]).length, 0);
  return { ...Object.fromEntries(counted), member: (limits['member'] ?? 0) - members };
}
