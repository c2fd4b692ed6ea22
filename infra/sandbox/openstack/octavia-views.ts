import type { Json } from '../json.ts';
import type { CloudWorld } from './cloud-world.ts';
import type {
  HealthMonitor,
  Listener,
  LoadBalancer,
  Member,
  OctaviaObject,
  Pool,
} from './octavia-objects.ts';

const ids = (objects: readonly OctaviaObject[]): { id: string }[] =>
  objects.map(({ id }) => ({ id })).sort((a, b) => (a.id < b.id ? -1 : 1));

const plain = (object: OctaviaObject): Json => ({ ...object, tenant_id: object.project_id });

function without(object: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** How each resource looks in GET, PUT and list answers: relations are lists of ids only. */
export function loadBalancerView(world: CloudWorld, lb: LoadBalancer): Json {
  return {
    ...plain(lb),
    listeners: ids(world.listeners.filter((one) => one.loadbalancer_id === lb.id)),
    pools: ids(world.pools.filter((one) => one.loadbalancer_id === lb.id)),
  };
}

export function listenerView(_world: CloudWorld, listener: Listener): Json {
  const loadbalancers = [{ id: listener.loadbalancer_id }];
  return { ...without(plain(listener), 'loadbalancer_id'), l7policies: [], loadbalancers };
}

export function poolView(world: CloudWorld, pool: Pool): Json {
  const monitor = world.healthmonitors.find((one) => one.pool_id === pool.id);
  return {
    ...without(plain(pool), 'loadbalancer_id'),
    loadbalancers: [{ id: pool.loadbalancer_id }],
    listeners: ids(world.listeners.filter((one) => one.default_pool_id === pool.id)),
    members: ids(world.members.filter((one) => one.pool_id === pool.id)),
    ...(monitor ? { healthmonitor_id: monitor.id } : {}),
  };
}

export const memberView = (_world: CloudWorld, member: Member): Json => without(plain(member), 'pool_id');

export function healthMonitorView(_world: CloudWorld, monitor: HealthMonitor): Json {
  return { ...without(plain(monitor), 'pool_id'), pools: [{ id: monitor.pool_id }] };
}

/** The answer of a create: the whole tree. Recorded: `healthmonitor` is null in it even when there is one. */
export function treeView(world: CloudWorld, lb: LoadBalancer): Json {
  const listeners = world.listeners.filter((one) => one.loadbalancer_id === lb.id);
  const pools = world.pools.filter((one) => one.loadbalancer_id === lb.id);
  return {
    ...plain(lb),
    listeners: listeners.map((one) => without(listenerView(world, one), 'loadbalancers')),
    pools: pools.map((pool) => ({
      ...without(poolView(world, pool), 'loadbalancers', 'healthmonitor_id'),
      members: world.members.filter((one) => one.pool_id === pool.id).map((one) => memberView(world, one)),
      healthmonitor: null,
    })),
  };
}

/** GET .../status: names, addresses and states of everything below listeners; pools without listener are not in it. */
export function statusTree(world: CloudWorld, lb: LoadBalancer): Json {
  const state = ({ id, name, provisioning_status, operating_status }: OctaviaObject): Json => ({
    id,
    name,
    provisioning_status,
    operating_status,
  });
  const pool = (one: Pool): Json => {
    const monitor = world.healthmonitors.find((candidate) => candidate.pool_id === one.id);
    const members = world.members.filter((candidate) => candidate.pool_id === one.id);
    return {
      ...state(one),
      ...(monitor ? { health_monitor: { ...state(monitor), type: monitor.type } } : {}),
      members: members.map((m) => ({ ...state(m), address: m.address, protocol_port: m.protocol_port })),
    };
  };
  const listeners = world.listeners.filter((one) => one.loadbalancer_id === lb.id);
  return {
    loadbalancer: {
      ...state(lb),
      listeners: listeners.map((one) => ({
        ...state(one),
        pools: world.pools.filter((candidate) => candidate.id === one.default_pool_id).map(pool),
      })),
    },
  };
}
