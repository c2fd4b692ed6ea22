import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { deletePort } from '../neutron/ports.ts';
import type { Rows } from '../rows.ts';
import { everythingBelow, loadBalancerOf } from './lookup.ts';
import type { LoadBalancer, OctaviaObject, Pool } from './objects.ts';

/** What one accepted write does below a load balancer, all of it under that load balancer's lock. */
export interface Change {
  readonly creating?: readonly OctaviaObject[];
  readonly updating?: readonly OctaviaObject[];
  /** Gone in the end, with everything below. */
  readonly deleting?: readonly OctaviaObject[];
  /** The worker died over the change (a member twice in one batch): nothing leaves PENDING any more. */
  readonly stuck?: boolean;
  /** The worker could not do the change: the load balancer ends in ERROR, the rest is as before. */
  readonly failing?: boolean;
  readonly whenDone?: () => void;
}

/** Children are refused with "immutable" unless the load balancer is ACTIVE (octavia: MUTABLE_STATUSES). */
export function requireMutable(lb: LoadBalancer): void {
  if (lb.provisioning_status === 'ACTIVE') return;
  throw octaviaFault(409, `Load Balancer ${lb.id} is immutable and cannot be updated.`);
}

/** The load balancer itself is refused with "Invalid state"; a DELETE is allowed in ERROR too. */
export function requireState(lb: LoadBalancer, allowed: readonly string[]): void {
  if (allowed.includes(lb.provisioning_status)) return;
  throw octaviaFault(409, `Invalid state ${lb.provisioning_status} of loadbalancer resource ${lb.id}`);
}

/** Refuses a write below a child that is not ACTIVE, which an ACTIVE load balancer may have. */
export function requireChildMutable(title: string, child: OctaviaObject): void {
  if (child.provisioning_status === 'ACTIVE') return;
  throw octaviaFault(409, `${title} ${child.id} is immutable and cannot be updated.`);
}

/** The load balancer of a pool whose members or monitor are to change; both must be mutable. */
export function lockablePool(world: CloudState, pool: Pool): LoadBalancer {
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  if (lb.provisioning_status === 'ACTIVE') requireChildMutable('Pool', pool);
  requireMutable(lb);
  return lb;
}

/**
 * Locks the load balancer and the touched objects in PENDING_*, and ends that after the world's pending time.
 * `updated_at` moves at both times (measured: any write below a load balancer moves its `updated_at`).
 */
export function change(world: CloudState, lb: LoadBalancer, what: Change): void {
  const at = world.octaviaTime();
  const { creating = [], deleting = [] } = what;
  const updating = [lb, ...(what.updating ?? [])];
  for (const one of updating) mark(one, 'PENDING_UPDATE', at);
  for (const one of deleting) mark(one, 'PENDING_DELETE', at);
  for (const one of creating) one.provisioning_status = 'PENDING_CREATE';
  if (what.stuck === true) return;
  world.afterPending((end) => {
    for (const one of [...updating, ...creating]) {
      activate(one, end);
      if (isL7(one)) one.operating_status = one['admin_state_up'] === true ? 'ONLINE' : 'OFFLINE';
    }
    if (what.failing === true) {
      mark(lb, 'ERROR', end);
      for (const one of deleting) mark(one, 'ACTIVE', end);
      return;
    }
    for (const one of deleting) forget(world, one);
    what.whenDone?.();
  });
}

/** Ends a create after the pending time: all ACTIVE, with ovn the children later; all but monitors, L7 and unmonitored members ONLINE. */
export function begin(world: CloudState, lb: LoadBalancer, children: readonly OctaviaObject[]): void {
  world.afterPending((end) => {
    activate(lb, end);
  });
  world.afterPending(
    (end) => {
      for (const one of children) activate(one, end);
    },
    lb['provider'] === 'ovn' ? 2 : 1,
  );
}

export function beginDelete(world: CloudState, lb: LoadBalancer, stuck: boolean): void {
  mark(lb, 'PENDING_DELETE', world.octaviaTime());
  if (stuck) return;
  world.afterPending(() => {
    dropLoadBalancer(world, lb);
  });
}

/** Takes a load balancer, everything below it and the VIP port that Octavia made out of the world. */
export function dropLoadBalancer(world: CloudState, lb: LoadBalancer): void {
  forget(world, lb);
  const port = world.ports.byId(lb.vip_port_id);
  if (port?.device_owner === 'Octavia' && port.name === `octavia-lb-${lb.id}`) deletePort(world, port);
}

/** Removes an object and everything below it from whichever lists hold them. */
export function forget(world: CloudState, object: OctaviaObject): void {
  const { loadbalancers, listeners, pools, members, healthmonitors, l7policies, l7rules } = world;
  const tables: readonly Pick<Rows<OctaviaObject>, 'remove'>[] = [
    ...[loadbalancers, listeners, pools, members, healthmonitors, l7policies, l7rules],
  ];
  for (const one of [object, ...everythingBelow(world, object)]) tables.some((rows) => rows.remove(one));
}

/** Policies and rules go ONLINE when they are written one by one, and stay OFFLINE after a full create (tried). */
const isL7 = (object: OctaviaObject): boolean => 'l7policy_id' in object || 'position' in object;

function mark(object: OctaviaObject, status: string, at: string): void {
  object.provisioning_status = status;
  object.updated_at = at;
}

function activate(object: OctaviaObject, at: string): void {
  if (object.provisioning_status === 'PENDING_DELETE') return;
  if (object.provisioning_status === 'PENDING_CREATE' && object.operating_status === 'OFFLINE') {
    object.operating_status = 'type' in object || isL7(object) ? 'OFFLINE' : 'ONLINE';
  }
  mark(object, 'ACTIVE', at);
}
