import type { Answer, Call } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';
import type { ResourceKind } from './rules/attributes.ts';
import { Certificates } from './rules/certificates.ts';
import * as monitors from './health-monitors.ts';
import * as policies from './l7-policies.ts';
import * as listeners from './listeners.ts';
import * as balancers from './loadbalancers.ts';
import type { Place } from './lists.ts';
import type { OctaviaObject } from './objects.ts';
import * as pools from './pools.ts';
import * as views from './views.ts';

export interface Resource {
  readonly one: ResourceKind;
  readonly title: string;
  readonly rows: Place['rows'];
  readonly view: (object: OctaviaObject) => Json;
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
  const table: Record<string, Resource> = {
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
  return table[collection];
}
