import { clusterTag } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud, Query } from '../ports.ts';

/** What one sweep reads of OpenStack, whatever the number of Services. */
export interface Project {
  readonly loadBalancers: readonly WireResource[];
  readonly floatingIPs: readonly WireResource[];
}

export async function observeProject(cluster: ClusterIdentity, cloud: Cloud): Promise<Project> {
  const [loadBalancers, floatingIPs] = await Promise.all([
    cloud.list('loadbalancer', { tags: clusterTag(cluster) }),
    cloud.list('floatingip'),
  ]);
  return { loadBalancers, floatingIPs };
}

/** Answers lists of load balancers and floating IPs out of what was read in bulk. */
export function listsOf(project: Project): Pick<Cloud, 'list'> {
  return {
    list: (kind, query = {}) => {
      const all = kind === 'loadbalancer' ? project.loadBalancers : project.floatingIPs;
      return Promise.resolve(all.filter((wire) => matches(wire, query)));
    },
  };
}

/** The filters of Octavia and Neutron that observe uses: equality, `tags` (all) and `tags-any`. */
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
    return wire[name] === value;
  });
}
