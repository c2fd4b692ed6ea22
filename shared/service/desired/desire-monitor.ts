import { withNeedsMet } from '../../model/attributes.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, HealthMonitor } from '../../model/resources.ts';
import { withSetRecord } from './set-record.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** The least delay in seconds: Octavia answers less with 400 (udp_connect_min_interval_health_monitor). */
const LEAST_UDP_DELAY = 3;

/** The attributes of a health check, and Problems of annotations whose values Octavia would refuse. */
interface Checked {
  readonly settings: Partial<HealthMonitor>;
  readonly problems: readonly Problem[];
}

/** The health monitor of one pool: kube-proxy's check with externalTrafficPolicy Local, else as annotations say. */
export function desireMonitor(
  transport: string,
  at: string,
  name: string,
  { healthmonitor }: PortIntent,
  /** The port of kube-proxy's check; undefined without externalTrafficPolicy Local. */
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

/**
 * How members are checked: as the annotation says if that fits the transport, else by a connection of the transport.
 */
export function monitorTypeOf(transport: string, { type }: Partial<HealthMonitor>): string {
  const byTransport = transport === 'UDP' ? 'UDP-CONNECT' : transport;
  return type !== undefined && fits(type, transport) ? type : byTransport;
}

/** Whether Octavia takes this type of check for the transport (Octavia API, monitors). */
function fits(type: string, transport: string): boolean {
  if (transport === 'TCP') return type !== 'UDP-CONNECT' && type !== 'SCTP';
  return ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'].includes(type);
}

function unfitType(at: string, type: string | undefined, used: string): Problem {
  const message = `cannot check the members of ${at}; levelset uses ${used} there`;
  return { field: 'levelset.openstack.org/monitor-type', value: type ?? '', message };
}

/** What kube-proxy answers on the health check node port (docs/sources/kubernetes.md, "Health check node port"). */
const KUBE_PROXY = { http_method: 'GET', url_path: '/healthz', expected_codes: '200' };

/** Octavia's defaults. They are written, so that they come back when an annotation is removed. */
const HTTP_DEFAULTS = { http_method: 'GET', url_path: '/', expected_codes: '200' };

function check(type: string, at: string, attributes: Partial<HealthMonitor>): Checked {
  const { delay } = attributes;
  const tooQuick = type === 'UDP-CONNECT' && delay !== undefined && delay < LEAST_UDP_DELAY;
  return {
    settings: Object.assign({ type }, attributes, { type }, tooQuick ? { delay: LEAST_UDP_DELAY } : {}),
    problems: tooQuick ? [udpDelay(at, delay)] : [],
  };
}

/** Sets HTTP 1.1 on a check that names a host: Octavia refuses the host with an older version, or with none. */
function withHost({ settings, problems }: Checked, at: string): Checked {
  const { domain_name, http_version = HOST_VERSION } = settings;
  if (domain_name === undefined) return { settings, problems };
  const message = `is ignored for ${at}: a check that names a host needs ${HOST_VERSION}`;
  const field = 'levelset.openstack.org/monitor-http-version';
  const older = http_version < HOST_VERSION ? [{ field, value: http_version.toFixed(1), message }] : [];
  return { settings: { ...settings, http_version: HOST_VERSION }, problems: [...problems, ...older] };
}

const HOST_VERSION = 1.1;

function udpDelay(at: string, delay: number): Problem {
  const message = `is less than the ${LEAST_UDP_DELAY} seconds that Octavia takes for UDP; levelset uses ${LEAST_UDP_DELAY} for ${at}`;
  return { field: 'loadbalancer.openstack.org/health-monitor-delay', value: String(delay), message };
}

/**
 * The port on which kube-proxy says whether a node has an endpoint; undefined without externalTrafficPolicy Local
 * (docs/sources/kubernetes.md, "Health check node port").
 */
export function localHealthPort(intent: Pick<ServiceIntent, 'service'>): number | undefined {
  const { externalTrafficPolicy, healthCheckNodePort } = intent.service.spec;
  return externalTrafficPolicy === 'Local' && healthCheckNodePort ? healthCheckNodePort : undefined;
}
