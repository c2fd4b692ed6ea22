import type { Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import * as lookup from './lookup.ts';
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
export function loadBalancerView(world: CloudState, lb: LoadBalancer): Json {
  return {
    ...plain(lb),
    listeners: ids(lookup.listenersOn(world, lb)),
    pools: ids(lookup.poolsOn(world, lb)),
  };
}

export function listenerView(world: CloudState, listener: Listener): Json {
  const loadbalancers = [{ id: listener.loadbalancer_id }];
  const l7policies = lookup.policiesOf(world, listener).map(({ id }) => ({ id }));
  return { ...without(plain(listener), 'loadbalancer_id'), l7policies, loadbalancers };
}

export const l7PolicyView = (world: CloudState, policy: L7Policy): Json => ({
  ...plain(policy),
  rules: ids(lookup.rulesOf(world, policy)),
});

export const l7RuleView = (rule: L7Rule): Json => without(plain(rule), 'l7policy_id');

/** A pool without monitor has no `healthmonitor_id` at all (seen on Octavia 11). */
export function poolView(world: CloudState, pool: Pool): Json {
  const monitor = lookup.monitorOf(world, pool);
  return {
    ...without(plain(pool), 'loadbalancer_id'),
    loadbalancers: [{ id: pool.loadbalancer_id }],
    listeners: ids(lookup.listenersOf(world, pool)),
    members: ids(lookup.membersOf(world, pool)),
    ...(monitor ? { healthmonitor_id: monitor.id } : {}),
  };
}

export const memberView = (member: Member): Json => without(plain(member), 'pool_id');

export function healthMonitorView(monitor: HealthMonitor): Json {
  return { ...without(plain(monitor), 'pool_id'), pools: [{ id: monitor.pool_id }] };
}

/** The answer of a create: the whole tree. Recorded: `healthmonitor` is null in it even when there is one. */
export function treeView(world: CloudState, lb: LoadBalancer): Json {
  return {
    ...plain(lb),
    listeners: byId(lookup.listenersOn(world, lb)).map((one) => ({
      ...without(listenerView(world, one), 'loadbalancers'),
      l7policies: lookup.policiesOf(world, one).map((policy) => ({
        ...l7PolicyView(world, policy),
        rules: byId(lookup.rulesOf(world, policy)).map(l7RuleView),
      })),
    })),
    pools: byId(lookup.poolsOn(world, lb)).map((pool) => ({
      ...without(poolView(world, pool), 'loadbalancers', 'healthmonitor_id'),
      members: lookup.membersOf(world, pool).map(memberView),
      healthmonitor: null,
    })),
  };
}

/** GET .../status: names, addresses and states of everything below listeners; pools without listener are not in it. */
export function statusTree(world: CloudState, lb: LoadBalancer): Json {
  const state = ({ id, name, provisioning_status, operating_status }: OctaviaObject): Json => ({
    id,
    name,
    provisioning_status,
    operating_status,
  });
  const pool = (one: Pool): Json => {
    const monitor = lookup.monitorOf(world, one);
    const members = lookup.membersOf(world, one);
    return {
      ...state(one),
      ...(monitor ? { health_monitor: { ...state(monitor), type: monitor.type } } : {}),
      members: members.map((m) => ({ ...state(m), address: m.address, protocol_port: m.protocol_port })),
    };
  };
  const listeners = lookup.listenersOn(world, lb).map((one) => ({
    ...state(one),
    pools: lookup.poolsUsedBy(world, one).map(pool),
  }));
  return { loadbalancer: { ...state(lb), listeners } };
}
