import type { CreateStep } from '../../model/plan.ts';
import { portKeyOf, type Address } from '../../model/address.ts';
import type { Attributes, DesiredResource, ResourceKind } from '../../model/resources.ts';

/** Attributes that the place in the tree implies, so that the request leaves them out. */
const IMPLIED = ['loadbalancer_id', 'default_pool_id', 'pool_id', 'listener_id'];

/** Listeners that Octavia cannot create together with the load balancer. */
export function leftOut(children: readonly DesiredResource[]): readonly DesiredResource[] {
  const spoken = new Set(children.filter(speaksTls).map(({ address }) => address));
  return children.filter((one) => one.kind === 'listener' && spoken.has(poolOf(one)));
}

/** The listeners of `leftOut` and everything on them, which later steps create one by one. */
export function comesLater(desired: readonly DesiredResource[]): readonly DesiredResource[] {
  const portKeys = new Set(leftOut(desired).map(({ address }) => portKeyOf(address)));
  return desired.filter(({ address }) => portKeys.has(portKeyOf(address)));
}

/** One POST (Octavia API, "fully populated load balancer"). TLS pools come later: Octavia 11 fails on such a tree with 500, and leaks the VIP port. */
export function createTree(lb: DesiredResource, children: readonly DesiredResource[]): CreateStep {
  const below = Map.groupBy(children, ({ parent }) => parent);
  const under = (parent: string, kind: ResourceKind): readonly DesiredResource[] =>
    (below.get(parent) ?? []).filter((child) => child.kind === kind);
  const pools = new Map(children.map((child) => [child.address, child]));
  const later = leftOut(children);
  const listeners = under('lb', 'listener')
    .filter((listener) => !later.includes(listener))
    .map((listener): Attributes => {
      const pool = poolOf(listener);
      const desiredPool = pools.get(pool);
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
      ? { because: `${names} comes later: Octavia cannot create a TLS pool together with its load balancer` }
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
