import type { Answer, Call } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';
import { Certificates } from './rules/certificates.ts';
import * as monitors from './health-monitors.ts';
import * as policies from './l7-policies.ts';
import * as listeners from './listeners.ts';
import * as balancers from './loadbalancers.ts';
import * as members from './members.ts';
import type { Place } from './lists.ts';
import type { OctaviaObject } from './objects.ts';
import * as pools from './pools.ts';
import * as views from './views.ts';

export interface Resource extends Place {
  readonly title: string;
  /** Writes the whole list, where a tenant may. */
  readonly replace?: () => Answer;
  readonly create: (body: Json) => Answer;
  readonly update: (object: OctaviaObject, body: Json) => Answer;
  readonly remove: (object: OctaviaObject) => Answer;
}

/** The collections of /v2.0/lbaas that a tenant writes to. */
export function resourceOf(
  world: CloudState,
  call: Call,
  caller: Caller,
  collection: string,
): Resource | undefined {
  const cascade = ['true', '1', 'yes'].includes((call.query.get('cascade') ?? '').toLowerCase());
  const certificates = new Certificates(world, caller);
  const table: Record<string, Omit<Resource, 'within'>> = {
    loadbalancers: {
      one: 'loadbalancer',
      title: 'Load Balancer',
      rows: world.loadbalancers,
      view: (one) => views.loadBalancerView(world, one as never),
      create: (body) => balancers.createLoadBalancer(world, certificates, caller, body),
      update: (one, body) => balancers.updateLoadBalancer(world, one as never, body),
      remove: (one) => balancers.deleteLoadBalancer(world, one as never, cascade),
    },
    listeners: {
      one: 'listener',
      title: 'Listener',
      rows: world.listeners,
      view: (one) => views.listenerView(world, one as never),
      create: (body) => listeners.createListener(world, certificates, body),
      update: (one, body) => listeners.updateListener(world, certificates, one as never, body),
      remove: (one) => listeners.deleteListener(world, one as never),
    },
    pools: {
      one: 'pool',
      title: 'Pool',
      rows: world.pools,
      view: (one) => views.poolView(world, one as never),
      create: (body) => pools.createPool(world, certificates, body),
      update: (one, body) => pools.updatePool(world, certificates, one as never, body),
      remove: (one) => pools.deletePool(world, one as never),
    },
    healthmonitors: {
      one: 'healthmonitor',
      title: 'Health Monitor',
      rows: world.healthmonitors,
      view: (one) => views.healthMonitorView(one as never),
      create: (body) => monitors.createHealthMonitor(world, body),
      update: (one, body) => monitors.updateHealthMonitor(world, one as never, body),
      remove: (one) => monitors.deleteHealthMonitor(world, one as never),
    },
    l7policies: {
      one: 'l7policy',
      title: 'L7 Policy',
      rows: world.l7policies,
      view: (one) => views.l7PolicyView(world, one as never),
      create: (body) => policies.createL7Policy(world, body),
      update: (one, body) => policies.updateL7Policy(world, one as never, body),
      remove: (one) => policies.deleteL7Policy(world, one as never),
    },
  };
  const found = table[collection];
  return found && { ...found, within: ['project_id', caller.projectId] };
}

/** What a tenant writes to below one object: a pool's members, a policy's rules. */
export function resourceBelow(
  world: CloudState,
  call: Call,
  { id }: OctaviaObject,
  collection: string,
): Resource | undefined {
  const [pool, policy] = [world.pools.byId(id), world.l7policies.byId(id)];
  if (pool && collection === 'members')
    return {
      one: 'member',
      title: 'Member',
      rows: world.members,
      within: ['pool_id', id],
      view: (one) => views.memberView(one as never),
      create: (body) => members.createMember(world, pool, body),
      update: (one, body) => members.updateMember(world, pool, one as never, body),
      remove: (one) => members.deleteMember(world, pool, one as never),
      replace: () => members.replaceMembers(world, pool, call),
    };
  if (policy && collection === 'rules')
    return {
      one: 'rule',
      title: 'L7 Rule',
      rows: world.l7rules,
      within: ['l7policy_id', id],
      view: (one) => views.l7RuleView(one as never),
      create: (body) => policies.createL7Rule(world, policy, body),
      update: (one, body) => policies.updateL7Rule(world, policy, one as never, body),
      remove: (one) => policies.deleteL7Rule(world, policy, one as never),
    };
  return undefined;
}
