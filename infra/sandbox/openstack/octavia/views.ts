import type { Json } from '../../json.ts';
import type { OctaviaIndex } from './index.ts';
import type {
  HealthMonitor,
  L7Policy,
  L7Rule,
  Listener,
  LoadBalancer,
  Member,
  OctaviaObject,
  Pool,
} from './objects.ts';

const byId = <T extends { readonly id: string }>(objects: readonly T[]): T[] =>
  [...objects].sort((a, b) => (a.id < b.id ? -1 : 1));

const ids = (objects: readonly OctaviaObject[]): { id: string }[] => byId(objects.map(({ id }) => ({ id })));

const plain = (object: OctaviaObject): Json => ({ ...object, tenant_id: object.project_id });

function without(object: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** How each resource looks in GET, PUT and list answers: relations are lists of ids only. */
export function loadBalancerView(index: OctaviaIndex, lb: LoadBalancer): Json {
  return { ...plain(lb), listeners: ids(index.listenersOf(lb.id)), pools: ids(index.poolsOf(lb.id)) };
}

export function listenerView(index: OctaviaIndex, listener: Listener): Json {
  const loadbalancers = [{ id: listener.loadbalancer_id }];
  const l7policies = index.policiesOf(listener.id).map(({ id }) => ({ id }));
  return { ...without(plain(listener), 'loadbalancer_id'), l7policies, loadbalancers };
}

export const l7PolicyView = (index: OctaviaIndex, policy: L7Policy): Json => ({
  ...plain(policy),
  rules: ids(index.rulesOf(policy.id)),
});

export const l7RuleView = (rule: L7Rule): Json => without(plain(rule), 'l7policy_id');

/** A pool without monitor has no `healthmonitor_id` at all (seen on Octavia 11). */
export function poolView(index: OctaviaIndex, pool: Pool): Json {
  const monitor = index.monitorOf(pool.id);
  return {
    ...without(plain(pool), 'loadbalancer_id'),
    loadbalancers: [{ id: pool.loadbalancer_id }],
    listeners: ids(index.listenersUsing(pool.id)),
    members: ids(index.membersOf(pool.id)),
    ...(monitor ? { healthmonitor_id: monitor.id } : {}),
  };
}

export const memberView = (member: Member): Json => without(plain(member), 'pool_id');

export function healthMonitorView(monitor: HealthMonitor): Json {
  return { ...without(plain(monitor), 'pool_id'), pools: [{ id: monitor.pool_id }] };
}

/** The answer of a create: the whole tree. Recorded: `healthmonitor` is null in it even when there is one. */
export function treeView(index: OctaviaIndex, lb: LoadBalancer): Json {
  return {
    ...plain(lb),
    listeners: byId(index.listenersOf(lb.id)).map((one) => ({
      ...without(listenerView(index, one), 'loadbalancers'),
      l7policies: index.policiesOf(one.id).map((policy) => ({
        ...l7PolicyView(index, policy),
        rules: byId(index.rulesOf(policy.id)).map(l7RuleView),
      })),
    })),
    pools: byId(index.poolsOf(lb.id)).map((pool) => ({
      ...without(poolView(index, pool), 'loadbalancers', 'healthmonitor_id'),
      members: index.membersOf(pool.id).map(memberView),
      healthmonitor: null,
    })),
  };
}

/** GET .../status: names, addresses and states of everything below listeners; pools without listener are not in it. */
export function statusTree(index: OctaviaIndex, lb: LoadBalancer): Json {
  const state = ({ id, name, provisioning_status, operating_status }: OctaviaObject): Json => ({
    id,
    name,
    provisioning_status,
    operating_status,
  });
  const pool = (one: Pool): Json => {
    const monitor = index.monitorOf(one.id);
    const members = index.membersOf(one.id);
    return {
      ...state(one),
      ...(monitor ? { health_monitor: { ...state(monitor), type: monitor.type } } : {}),
      members: members.map((m) => ({ ...state(m), address: m.address, protocol_port: m.protocol_port })),
    };
  };
  const listeners = index.listenersOf(lb.id).map((one) => ({
    ...state(one),
    pools: index.poolsUsedBy(one).map(pool),
  }));
  return { loadbalancer: { ...state(lb), listeners } };
}
