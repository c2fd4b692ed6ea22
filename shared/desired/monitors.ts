import type { Problem } from '../model/plan.ts';
import type { DesiredResource } from '../model/resources.ts';
import type { Wishes } from './wishes.ts';

/** Octavia's own limit, `udp_connect_min_interval_health_monitor`; less is a 400 for the whole load balancer. */
const LEAST_UDP_DELAY = 3;

/** The health monitor of one pool: the port's own protocol, or kube-proxy's answer where traffic stays local. */
export function desireMonitor(
  protocol: string,
  at: string,
  name: string,
  wishes: Wishes,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const http = localHealthPort(wishes) !== undefined;
  const type = http ? 'HTTP' : protocol === 'UDP' ? 'UDP-CONNECT' : protocol;
  const asked = wishes.annotated.attributes.healthmonitor;
  const tooQuick = type === 'UDP-CONNECT' && asked.delay !== undefined && asked.delay < LEAST_UDP_DELAY;
  const monitor: DesiredResource<'healthmonitor'> = {
    kind: 'healthmonitor',
    address: `monitor/${at}`,
    parent: `pool/${at}`,
    attributes: {
      name,
      type,
      ...asked,
      ...(tooQuick ? { delay: LEAST_UDP_DELAY } : {}),
      ...(http ? { http_method: 'GET', url_path: '/healthz', expected_codes: '200' } : {}),
      admin_state_up: true,
      pool_id: { $ref: `pool/${at}.id` },
    },
  };
  return { resources: [monitor], problems: tooQuick ? [udpDelay(at, asked.delay)] : [] };
}

function udpDelay(at: string, delay: number | undefined): Problem {
  const message = `is less than Octavia takes for UDP; ${LEAST_UDP_DELAY} is used for ${at}`;
  return { field: 'loadbalancer.openstack.org/health-monitor-delay', value: String(delay), message };
}

/** With externalTrafficPolicy Local kube-proxy says on this port which nodes have an endpoint (kubernetes.md, 1.8). */
export function localHealthPort(wishes: Wishes): number | undefined {
  const { externalTrafficPolicy, healthCheckNodePort } = wishes.service.spec;
  return externalTrafficPolicy === 'Local' && healthCheckNodePort ? healthCheckNodePort : undefined;
}
