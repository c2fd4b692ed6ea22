import type { CreateStep } from '../model/plan.ts';
import type { Attributes, DesiredResource, ResourceKind } from '../model/resources.ts';

/** Attributes that the tree itself says. */
const IMPLIED = ['loadbalancer_id', 'default_pool_id', 'pool_id', 'listener_id'];

/** One POST for the load balancer with everything on it (Octavia API, "fully populated load balancer"). */
export function createTree(lb: DesiredResource, children: readonly DesiredResource[]): CreateStep {
  const under = (parent: string, kind: ResourceKind): readonly DesiredResource[] =>
    children.filter((child) => child.kind === kind && child.parent === parent);
  const listeners = under('lb', 'listener').map((listener): Attributes => {
    const pool = `pool/${listener.address.slice('listener/'.length)}`;
    const [desiredPool] = children.filter(({ address }) => address === pool);
    const [monitor] = under(pool, 'healthmonitor');
    const members = under(pool, 'member').map(own);
    const policies = under(listener.address, 'l7policy').map((policy) => ({
      ...own(policy),
      rules: under(policy.address, 'l7rule').map(own),
    }));
    return {
      ...own(listener),
      ...(policies.length > 0 ? { l7policies: policies } : {}),
      ...(desiredPool
        ? {
            default_pool: {
              ...own(desiredPool),
              members,
              ...(monitor ? { healthmonitor: own(monitor) } : {}),
            },
          }
        : {}),
    };
  });
  return { verb: 'create', kind: 'loadbalancer', address: 'lb', attributes: { ...own(lb), listeners } };
}

function own(resource: DesiredResource): Attributes {
  return Object.fromEntries(Object.entries(resource.attributes).filter(([name]) => !IMPLIED.includes(name)));
}
