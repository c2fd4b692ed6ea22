import { withNeedsMet } from '../../model/attributes.ts';
import { withoutUndefined } from '../../model/json.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import type { Service } from '../../model/kubernetes.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import { childName, loadBalancerName, portTag, type ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, HealthMonitor, Pool } from '../../model/resources.ts';
import { readsHttp, type Port } from '../intent/ports.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { refsOf, type TlsContext } from './certificates.ts';
import type { DesiredMembers } from './desire-members.ts';

export interface PortContext extends TlsContext {
  readonly intent: ServiceIntent;
  readonly cluster: ClusterIdentity;
}

export function desirePool(
  protocol: PoolProtocol,
  port: Port,
  { members, problems: ofMembers }: DesiredMembers,
  context: PortContext,
  problems: Problem[],
): readonly DesiredResource[] {
  const { index, at, ServicePort } = port;
  const key = keyOf(context.intent.service);
  const lbName = loadBalancerName(context.cluster.name, key);
  problems.push(...ofMembers);
  const check = port.check === undefined ? undefined : desireCheck(port, port.check, problems);
  const { tls_enabled, session_persistence: _asked, ...settings } = port.pool;
  const refs = port.meets.has('tls-to-members')
    ? {
        ca_tls_container_ref: refsOf('poolCa', port, context, problems)[0],
        tls_container_ref: refsOf('poolCertificate', port, context, problems)[0],
      }
    : {};
  const pool: DesiredResource<'pool'> = {
    kind: 'pool',
    address: `pool/${at}`,
    parent: 'lb',
    ...(port.isDirect ? { mayBeEmpty: true } : {}),
    attributes: {
      name: childName('pool', index, lbName),
      protocol,
      lb_algorithm: 'ROUND_ROBIN',
      admin_state_up: true,
      session_persistence: desirePersistence(port, context.intent.service, problems),
      ...withNeedsMet('pool', { ...(tls_enabled ? { tls_enabled } : {}), ...settings }, port.meets),
      ...withoutUndefined(refs),
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [portTag(at), ...userTags(key, ServicePort.poolTags)],
    },
  };
  const monitor: DesiredResource<'healthmonitor'> = {
    kind: 'healthmonitor',
    address: `monitor/${at}`,
    parent: `pool/${at}`,
    attributes: {
      name: childName('monitor', index, lbName),
      ...check,
      admin_state_up: true,
      pool_id: { $ref: `pool/${at}.id` },
    },
  };
  return [pool, ...members, ...(check ? [monitor] : [])];
}

/** The annotation, else spec.sessionAffinity. Cookies need HTTP: Octavia refuses them for UDP and SCTP, and haproxy looks into no stream. */
function desirePersistence(
  port: Port,
  { spec }: Pick<Service, 'spec'>,
  problems: Problem[],
): NonNullable<Pool['session_persistence']> | null {
  const affinity = spec.sessionAffinity === 'ClientIP' ? { type: 'SOURCE_IP' } : null;
  const { session_persistence: wanted = affinity } = port.pool;
  if (!String(wanted?.type).endsWith('_COOKIE') || readsHttp(port)) return wanted;
  const { name: field = 'session_persistence', text: value = '' } =
    port.spelled['pool.session_persistence'] ?? {};
  const message = `is ignored for ${port.at}: a cookie needs a port that speaks HTTP, and this one speaks ${port.listens}`;
  problems.push({ field, value, message });
  return affinity;
}

/** The least delay in seconds: Octavia answers less with 400 (udp_connect_min_interval_health_monitor). */
const LEAST_UDP_DELAY = 3;

/** What kube-proxy answers on the health check node port (docs/sources/kubernetes.md, "Health check node port"). */
const KUBE_PROXY = { http_method: 'GET', url_path: '/healthz', expected_codes: '200' };

/** Octavia's defaults. They are written, so that they come back when an annotation is removed. */
const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' };

const HOST_VERSION = 1.1;

function desireCheck(port: Port, type: string, problems: Problem[]): Partial<HealthMonitor> {
  const { healthmonitor, at, healthPort } = port;
  const { type: named, ...settings } = withNeedsMet('healthmonitor', healthmonitor, port.meets);
  const defaults = port.meets.has('http-check') ? HTTP_DEFAULTS : {};
  const attributes = { ...defaults, type, ...settings };
  const { delay, domain_name, http_version = HOST_VERSION } = settings;
  if (type === 'UDP-CONNECT' && delay !== undefined && delay < LEAST_UDP_DELAY) {
    const message = `is less than the ${LEAST_UDP_DELAY} seconds that Octavia takes for UDP; levelset uses ${LEAST_UDP_DELAY} for ${at}`;
    const field = 'loadbalancer.openstack.org/health-monitor-delay';
    problems.push({ field, value: String(delay), message });
    attributes.delay = LEAST_UDP_DELAY;
  }
  if (domain_name !== undefined) {
    // Octavia refuses the host with an older version, or with none
    attributes.http_version = HOST_VERSION;
    const message = `is ignored for ${at}: a check that names a host needs ${HOST_VERSION}`;
    const field = 'levelset.openstack.org/monitor-http-version';
    if (http_version < HOST_VERSION) problems.push({ field, value: http_version.toFixed(1), message });
  }
  if (healthPort !== undefined) return { ...attributes, ...KUBE_PROXY };
  if (named !== undefined && named !== type) {
    const message = `cannot check the members of ${at}; levelset uses ${type} there`;
    problems.push({ field: 'levelset.openstack.org/monitor-type', value: named, message });
  }
  return attributes;
}
