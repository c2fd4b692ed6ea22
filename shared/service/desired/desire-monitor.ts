import { withNeedsMet } from '../../model/attributes.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, HealthMonitor } from '../../model/resources.ts';
import { withSetRecord } from './set-record.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Octavia's own limit, `udp_connect_min_interval_health_monitor`; less is a 400 for the whole load balancer. */
const LEAST_UDP_DELAY = 3;

/** What levelset sets for a health check, and what of the annotations it could not. */
interface Checked {
  readonly settings: Partial<HealthMonitor>;
  readonly problems: readonly Problem[];
}

/** The health monitor of one pool: what is asked for, kube-proxy's answer where traffic stays local, else the transport. */
export function desireMonitor(
  transport: string,
  at: string,
  name: string,
  { healthmonitor }: PortIntent,
  /** Of kube-proxy's check, where that decides. */
  localPort: number | undefined,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const monitor = (settings: Partial<HealthMonitor>): DesiredResource<'healthmonitor'> => ({
    kind: 'healthmonitor',
    address: `monitor/${at}`,
    parent: `pool/${at}`,
    attributes: { name, ...settings, admin_state_up: true, pool_id: { $ref: `pool/${at}.id` } },
  });
  if (localPort !== undefined) {
    const { settings, problems } = check('HTTP', at, withNeedsMet('healthmonitor', healthmonitor, []));
    return { resources: [monitor({ ...settings, ...KUBE_PROXY })], problems };
  }
  const type = monitorTypeOf(transport, healthmonitor);
  const isHttp = type === 'HTTP' || type === 'HTTPS';
  const useful = withNeedsMet('healthmonitor', healthmonitor, isHttp ? ['http-check'] : []);
  const { settings, problems } = withHost(check(type, at, useful), at);
  const unfit = healthmonitor.type !== undefined && healthmonitor.type !== type;
  return {
    resources: [withSetRecord(monitor({ ...(isHttp ? HTTP_DEFAULTS : {}), ...settings }))],
    problems: unfit ? [...problems, unfitType(at, healthmonitor.type, type)] : problems,
  };
}

/** How members are checked: as the annotation says where that fits the transport, else by a connection of the transport. */
export function monitorTypeOf(transport: string, { type }: Partial<HealthMonitor>): string {
  const byTransport = transport === 'UDP' ? 'UDP-CONNECT' : transport;
  return type !== undefined && fits(type, transport) ? type : byTransport;
}

/** Octavia's rule: a pool of datagrams can be checked in few ways, one of streams in all others (Octavia API, monitors). */
function fits(type: string, transport: string): boolean {
  if (transport === 'TCP') return type !== 'UDP-CONNECT' && type !== 'SCTP';
  return ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'].includes(type);
}

function unfitType(at: string, type: string | undefined, used: string): Problem {
  const message = `cannot check members of ${at}; ${used} is used there`;
  return { field: 'levelset.openstack.org/monitor-type', value: type ?? '', message };
}

/** What kube-proxy answers on the health check node port (docs/sources/kubernetes.md, "Health check node port"). */
const KUBE_PROXY = { http_method: 'GET', url_path: '/healthz', expected_codes: '200' };

/** Octavia's own, so that what was asked before is taken back. */
const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' };

function check(type: string, at: string, attributes: Partial<HealthMonitor>): Checked {
  const { delay } = attributes;
  const tooQuick = type === 'UDP-CONNECT' && delay !== undefined && delay < LEAST_UDP_DELAY;
  return {
    settings: Object.assign({ type }, attributes, { type }, tooQuick ? { delay: LEAST_UDP_DELAY } : {}),
    problems: tooQuick ? [udpDelay(at, delay)] : [],
  };
}

/** A host is named by HTTP 1.1, and Octavia refuses it with an older version, or with none. */
function withHost({ settings, problems }: Checked, at: string): Checked {
  const { domain_name, http_version = HOST_VERSION } = settings;
  if (domain_name === undefined) return { settings, problems };
  const message = `is not applied to ${at}: the host that is asked for takes ${HOST_VERSION}`;
  const field = 'levelset.openstack.org/monitor-http-version';
  const older = http_version < HOST_VERSION ? [{ field, value: http_version.toFixed(1), message }] : [];
  return { settings: { ...settings, http_version: HOST_VERSION }, problems: [...problems, ...older] };
}

const HOST_VERSION = 1.1;

function udpDelay(at: string, delay: number): Problem {
  const message = `is less than Octavia takes for UDP; ${LEAST_UDP_DELAY} is used for ${at}`;
  return { field: 'loadbalancer.openstack.org/health-monitor-delay', value: String(delay), message };
}

/**
 * With externalTrafficPolicy Local kube-proxy says on this port which nodes have an endpoint
 * (docs/sources/kubernetes.md, "Health check node port").
 */
export function localHealthPort(intent: Pick<ServiceIntent, 'service'>): number | undefined {
  const { externalTrafficPolicy, healthCheckNodePort } = intent.service.spec;
  return externalTrafficPolicy === 'Local' && healthCheckNodePort ? healthCheckNodePort : undefined;
}
