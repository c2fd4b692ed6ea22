import { ReconcileError } from '../../model/errors.ts';
import { clusterTag } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Cloud, Query, ReadKind } from '../../ports.ts';
import { attempt } from '../../observe/attempt.ts';
import { listStored } from './certificates.ts';

/** A list of the whole project, or the error in its place. A list that failed is not an empty list. */
export type Listed = readonly WireResource[] | ReconcileError;

/** The lists that one sweep reads from OpenStack, whatever the number of Services. Each list may fail alone. */
export interface Project {
  /** Load balancers with this cluster's tag. */
  readonly loadBalancers: Listed;
  /** All floating IPs of the project. */
  readonly floatingIPs: Listed;
  /** Security groups with this cluster's tag, with their rules. */
  readonly securityGroups: Listed;
  /** The ports of Nodes, by which their addresses are judged. */
  readonly nodePorts: Listed;
  /** Certificates of this cluster in Barbican. */
  readonly secrets: Listed;
}

/** Reads the lists for one sweep. */
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

/** All load balancers with this cluster's tag. */
export function listOurLoadBalancers(
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  return cloud.list('loadbalancer', { tags: clusterTag(cluster) });
}

/**
 * The resources in a list; none if the list failed. Only for questions whose answer stays right when resources are
 * missing.
 */
export function foundIn(list: Listed): readonly WireResource[] {
  return list instanceof ReconcileError ? [] : list;
}

/**
 * Answers list calls from a sweep's lists, and throws if that list failed. A kind that the sweep does not list, such as
 * listeners, is listed by a call. Without a sweep, every list is a call.
 */
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
      return list?.filter((wire) => matches(wire, query)) ?? cloud.list(kind, query);
    },
  };
}

/**
 * Applies the filters of Octavia and Neutron that observing uses: equality, one of several ids, `tags` (all of them),
 * `tags-any`, and one item of a port's list.
 */
function matches(wire: WireResource, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => {
    const tags = wire['tags'] as readonly string[];
    if (name === 'tags')
      return String(value)
        .split(',')
        .every((tag) => tags.includes(tag));
    if (name === 'tags-any')
      return String(value)
        .split(',')
        .some((tag) => tags.includes(tag));
    if (name === 'fields') return true;
    if (name === 'id') return [value].flat().includes(wire.id);
    if (name === 'security_groups' || name === 'fixed_ips')
      return [value].flat().some((one) => has(wire, name, one));
    return wire[name] === value;
  });
}

function has(port: WireResource, name: 'security_groups' | 'fixed_ips', wanted: unknown): boolean {
  const items = port[name] as readonly (string | { readonly ip_address: string })[];
  return items.some((item) => wanted === (typeof item === 'string' ? item : `ip_address=${item.ip_address}`));
}
