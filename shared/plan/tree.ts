import type { CreateStep } from '../model/plan.ts';
import type { Address } from '../model/address.ts';
import type { Attributes, DesiredResource, ResourceKind } from '../model/resources.ts';

/** Attributes that the tree itself says. */
const IMPLIED = ['loadbalancer_id', 'default_pool_id', 'pool_id', 'listener_id'];

/**
 * One POST for the load balancer with everything on it (Octavia API, "fully populated load balancer"); without a port whose
 * pool speaks TLS, on which Octavia 11 fails with a 500 and leaks the VIP port. What is left out is planned once it is there.
 */
export function createTree(lb: DesiredResource, children: readonly DesiredResource[]): CreateStep {
  const under = (parent: string, kind: ResourceKind): readonly DesiredResource[] =>
    children.filter((child) => child.kind === kind && child.parent === parent);
  const all = under('lb', 'listener');
  const later = all.filter((listener) =>
    children.some((one) => one.address === poolOf(listener) && speaksTls(one)),
  );
  const listeners = all
    .filter((listener) => !later.includes(listener))
    .map((listener): Attributes => {
      const pool = poolOf(listener);
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
  const names = later.map(({ address }) => address).join(', ');
  return {
    verb: 'create',
    kind: 'loadbalancer',
    address: 'lb',
    attributes: { ...own(lb), listeners },
    ...(later.length > 0
      ? { because: `${names} comes when it is there: no pool that speaks TLS is made with it` }
      : {}),
  };
}

function speaksTls({ kind, attributes }: DesiredResource): boolean {
  return kind === 'pool' && 'tls_enabled' in attributes && attributes.tls_enabled;
}

function poolOf(listener: DesiredResource): Address {
  return `pool/${listener.address.slice('listener/'.length)}`;
}

function own(resource: DesiredResource): Attributes {
  return Object.fromEntries(Object.entries(resource.attributes).filter(([name]) => !IMPLIED.includes(name)));
}
