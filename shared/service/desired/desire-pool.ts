import { withNeedsMet } from '../../model/attributes.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import type { Service } from '../../model/kubernetes.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import { childName, loadBalancerName, portTag } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, HealthMonitor, Pool } from '../../model/resources.ts';
import { readsHttp } from '../intent/ports.ts';
import type { Port } from '../intent/ports.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import type { DesiredMembers } from './desire-members.ts';
import { desirePoolTls } from './desire-tls.ts';
import type { TlsContext } from './certificates.ts';

export interface PortContext extends TlsContext {
  readonly intent: ServiceIntent;
  readonly cluster: ClusterIdentity;
}

export interface DesiredPort {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/** Pool and health monitor of one port, with these members. */
export function desirePool(
  protocol: PoolProtocol,
  port: Port,
  behind: DesiredMembers,
  context: PortContext,
): DesiredPort {
  const { index, at, ServicePort } = port;
  const key = keyOf(context.intent.service);
  const lbName = loadBalancerName(context.cluster.name, key);
  const tls = desirePoolTls(port, context);
  const persistence = desirePersistence(port, context.intent.service);
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
      ...withNeedsMet('pool', port.pool, []),
      ...persistence.attributes,
      ...tls.attributes,
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [portTag(at), ...userTags(key, ServicePort.poolTags)],
    },
  };
  const check = isChecked(port) ? checkOf(port) : undefined;
  const monitor: DesiredResource<'healthmonitor'> = {
    kind: 'healthmonitor',
    address: `monitor/${at}`,
    parent: `pool/${at}`,
    attributes: {
      name: childName('monitor', index, lbName),
      ...check?.attributes,
      admin_state_up: true,
      pool_id: { $ref: `pool/${at}.id` },
    },
  };
  return {
    resources: [pool, ...behind.members, ...(check ? [monitor] : [])],
    problems: [...behind.problems, ...(check?.problems ?? []), ...tls.problems, ...persistence.problems],
  };
}

interface Persistence {
  readonly attributes: Pick<Pool, 'session_persistence'>;
  readonly problems: readonly Problem[];
}

/**
 * How a client stays on a member: as the annotation says, else as spec.sessionAffinity says. Cookies need HTTP: Octavia
 * refuses them for UDP and SCTP, and haproxy does not look into a stream.
 */
export function desirePersistence(port: Port, { spec }: Pick<Service, 'spec'>): Persistence {
  const affinity = spec.sessionAffinity === 'ClientIP' ? { type: 'SOURCE_IP' } : null;
  const { session_persistence: wanted = affinity } = port.pool;
  const isCookie = String(wanted?.type).endsWith('_COOKIE');
  if (!isCookie || readsHttp(port)) return { attributes: { session_persistence: wanted }, problems: [] };
  const { name = 'session_persistence', text = '' } = port.spelled['pool.session_persistence'] ?? {};
  const message = `is ignored for ${port.at}: a cookie needs a port that speaks HTTP, and this one speaks ${port.listens}`;
  return {
    attributes: { session_persistence: affinity },
    problems: [{ field: name, value: text, message }],
  };
}

/** Whether the members are checked. With externalTrafficPolicy Local they always are: nodes without an endpoint would lose their traffic. */
export function isChecked({ ServicePort, healthPort }: Port): boolean {
  return ServicePort.monitor === true || healthPort !== undefined;
}

/** The least delay in seconds: Octavia answers less with 400 (udp_connect_min_interval_health_monitor). */
const LEAST_UDP_DELAY = 3;

/** What kube-proxy answers on the health check node port (docs/sources/kubernetes.md, "Health check node port"). */
const KUBE_PROXY = { http_method: 'GET', url_path: '/healthz', expected_codes: '200' };

/** Octavia's defaults. They are written, so that they come back when an annotation is removed. */
const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' };

const HOST_VERSION = 1.1;

/** How members are checked: by kube-proxy's answer with externalTrafficPolicy Local, else as annotations say, as far as Octavia takes it. */
function checkOf(port: Port): {
  readonly attributes: Partial<HealthMonitor>;
  readonly problems: readonly Problem[];
} {
  const { healthmonitor, at, healthPort } = port;
  const type = checkTypeOf(port);
  const isHttp = healthPort === undefined && (type === 'HTTP' || type === 'HTTPS');
  const settings = withNeedsMet('healthmonitor', healthmonitor, isHttp ? ['http-check'] : []);
  const attributes = { ...(isHttp ? HTTP_DEFAULTS : {}), type, ...settings };
  attributes.type = type;
  const problems: Problem[] = [];
  const { delay, domain_name, http_version = HOST_VERSION } = settings;
  if (type === 'UDP-CONNECT' && delay !== undefined && delay < LEAST_UDP_DELAY) {
    const message = `is less than the ${LEAST_UDP_DELAY} seconds that Octavia takes for UDP; levelset uses ${LEAST_UDP_DELAY} for ${at}`;
    problems.push({
      field: 'loadbalancer.openstack.org/health-monitor-delay',
      value: String(delay),
      message,
    });
    attributes.delay = LEAST_UDP_DELAY;
  }
  if (domain_name !== undefined) {
    // Octavia refuses the host with an older version, or with none
    attributes.http_version = HOST_VERSION;
    const message = `is ignored for ${at}: a check that names a host needs ${HOST_VERSION}`;
    const field = 'levelset.openstack.org/monitor-http-version';
    if (http_version < HOST_VERSION) problems.push({ field, value: http_version.toFixed(1), message });
  }
  if (healthPort !== undefined) return { attributes: { ...attributes, ...KUBE_PROXY }, problems };
  if (healthmonitor.type !== undefined && healthmonitor.type !== type) {
    const message = `cannot check the members of ${at}; levelset uses ${type} there`;
    problems.push({ field: 'levelset.openstack.org/monitor-type', value: healthmonitor.type, message });
  }
  return { attributes, problems };
}

/** As kube-proxy answers, else as the annotation says if that fits the transport, else by a connection of the transport. */
export function checkTypeOf({ transport, healthmonitor: { type }, healthPort }: Port): string {
  if (healthPort !== undefined) return 'HTTP';
  const byTransport = transport === 'UDP' ? 'UDP-CONNECT' : transport;
  return type !== undefined && fits(type, transport) ? type : byTransport;
}

/** Whether Octavia takes this type of check for the transport (Octavia API, monitors). */
function fits(type: string, transport: Port['transport']): boolean {
  if (transport === 'TCP') return type !== 'UDP-CONNECT' && type !== 'SCTP';
  return ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'].includes(type);
}
