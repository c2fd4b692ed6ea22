import { lazily } from '../../memory/answers.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Cloud, ReadKind } from '../../ports.ts';

/** What reads the listeners, pools and monitors of a load balancer. */
export type ChildReader = Pick<Cloud, 'list' | 'get'>;

export interface BulkChildren extends ChildReader {
  /** Resolves when the lists are there. */
  listed(): Promise<unknown>;
}

/**
 * Reads the listeners, pools and monitors of all load balancers by one list each, the first time that somebody asks. Octavia has no
 * such list of members: it lists those of one pool.
 */
export function bulkChildren(cloud: ChildReader): BulkChildren {
  const byLoadBalancer = (kind: ReadKind): (() => Promise<ReadonlyMap<string, readonly WireResource[]>>) =>
    lazily(async () => {
      const found = new Map<string, WireResource[]>();
      for (const wire of await cloud.list(kind))
        for (const { id } of (wire['loadbalancers'] ?? []) as readonly { readonly id: string }[])
          found.set(id, [...(found.get(id) ?? []), wire]);
      return found;
    });
  const [listeners, pools] = [byLoadBalancer('listener'), byLoadBalancer('pool')];
  const monitors = lazily(async () => {
    const listed = await cloud.list('healthmonitor');
    return new Map(listed.map((wire) => [wire.id, wire]));
  });
  return {
    listed: () => Promise.all([listeners(), pools(), monitors()]),
    async list(kind, query = {}, parent) {
      const { loadbalancer_id: id } = query;
      if (typeof id === 'string' && kind === 'listener') return (await listeners()).get(id) ?? [];
      if (typeof id === 'string' && kind === 'pool') return (await pools()).get(id) ?? [];
      return cloud.list(kind, query, parent);
    },
    // one that was made since the list is read by itself
    get: async (kind, id) =>
      (kind === 'healthmonitor' ? (await monitors()).get(id) : undefined) ?? cloud.get(kind, id),
  };
}
