import { withNeedsMet } from '../../model/attributes.ts';
import { withoutUndefined } from '../../model/json.ts';
import {
  childName,
  clusterTag,
  loadBalancerName,
  serviceTag,
  portTag,
  type ClusterIdentity,
  userTags,
} from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { Ref } from '../../model/address.ts';
import type { DesiredResource, Listener, HealthMonitor, Pool } from '../../model/resources.ts';
import type { Targets } from '../intent/annotations.ts';
import { CERTIFICATES, isProxied, readsHttp, type Port } from '../intent/ports.ts';
import { isOfKinx } from '../intent/service-config.ts';
import { refsOf, refsOfSecrets, type TlsContext } from './certificates.ts';
import type { DesiredMembers } from './desire-members.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Listener, pool, monitor and redirect of one port of a Service. A PROMETHEUS listener has no pool. */
export function desirePort(
  port: Port,
  behind: DesiredMembers,
  context: PortContext,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const pool = port.pools ? desirePool(port.pools, port, behind, context, problems) : [];
  const listener = desireListener(port, context, problems);
  return { resources: [...pool, listener, ...desireRedirect(port, context, problems)], problems };
}

function desireListener(port: Port, context: PortContext, problems: Problem[]): DesiredResource<'listener'> {
  const { listens, spec, index, at, ServicePort } = port;
  const { intent, cluster } = context;
  const key = keyOf(intent.service);
  const lbName = loadBalancerName(cluster.name, key);
  return {
    kind: 'listener',
    address: `listener/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('listener', index, lbName),
      protocol: listens,
      protocol_port: spec.port,
      admin_state_up: true,
      ...withNeedsMet('listener', port.listener, new Set()),
      ...desireInsertHeaders(port, problems),
      ...desireTls(port, context, problems),
      allowed_cidrs: intent.allowed_cidrs,
      default_pool_id: listens === 'PROMETHEUS' ? null : { $ref: `pool/${at}.id` },
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [
        clusterTag(cluster),
        serviceTag(intent.service.metadata.uid),
        lbName,
        ...userTags(key, ServicePort.listenerTags),
      ],
    },
  };
}

type Header = Targets['ServicePort']['insertHeaders'][number];

/** Octavia takes "true" for each, those on client certificates only with TLS, and none with PROXY (docs/sources/openstack.md, "Inserted headers"). */
function desireInsertHeaders(port: Port, problems: Problem[]): Pick<Partial<Listener>, 'insert_headers'> {
  if (!readsHttp(port)) return {};
  const field = `headers of spec.ports[${port.index}]`;
  const all = headersOf(port);
  const headers = all.filter((header) => port.listens !== 'HTTP' || header.startsWith('X-Forwarded-'));
  const ignored = all.filter((header) => !headers.includes(header));
  if (ignored.length > 0) {
    const message =
      'are ignored: they describe the certificate of a client, and this port does not terminate TLS';
    problems.push({ field, value: ignored.join(', '), message });
  }
  if (headers.length === 0) return {};
  if (isProxied(port)) {
    const message = 'are not inserted by Octavia while the PROXY protocol is on: use one of the two';
    problems.push({ field, value: headers.join(', '), message });
  }
  return { insert_headers: Object.fromEntries(headers.map((header) => [header, 'true'])) };
}

/** A protocol set by a kinx annotation brings X-Forwarded-Proto, as from kinx's driver (docs/sources/kinx.md, "Annotations of kinx"). */
function headersOf({ ServicePort: settings, spelled }: Port): readonly Header[] {
  const { name = '' } = spelled['ServicePort.protocol'] ?? {};
  const headers: readonly Header[] = [
    ...(settings.insertHeaders ?? []),
    ...(settings.xForwardedFor ? ['X-Forwarded-For' as const] : []),
    ...(settings.xForwardedPort ? ['X-Forwarded-Port' as const] : []),
    ...(settings.xForwardedProto || isOfKinx(name) ? ['X-Forwarded-Proto' as const] : []),
  ];
  return [...new Set(headers)].sort();
}

function desireTls(port: Port, context: TlsContext, problems: Problem[]): Partial<Listener> {
  const { listener, ServicePort, spelled, index } = port;
  if (port.listens !== 'TERMINATED_HTTPS') return {};
  const [first, ...others] = certificatesOf(port, context, problems);
  const { name, text = '' } = spelled['ServicePort.protocol'] ?? {};
  const named = [ServicePort.tlsReferences ?? [], ServicePort.tlsSecrets ?? []].flat();
  if (named.length === 0) {
    const message =
      'needs a certificate: name one in levelset.openstack.org/tls-container-refs or tls-secret; until then the Service is blocked';
    problems.push({ field: name ?? `spec.ports[${index}]`, value: text, message, blocking: true });
  }
  // better encrypted than not
  if (name !== undefined && ServicePort.protocol !== 'terminated_https') {
    const by = CERTIFICATES.flatMap((what) => spelled[what]?.name ?? []).join(' and ');
    const message = `is ignored: ${by} names certificates, so the port terminates TLS; remove one of the two`;
    problems.push({ field: name, value: text, message });
  }
  return {
    ...withoutUndefined({ default_tls_container_ref: first }),
    ...(others.length === 0 ? {} : { sni_container_refs: others }),
    ...desireClientCertificates(port, context, problems),
    ...(ServicePort.lowTls ? { tls_versions: ['TLSv1.2', 'TLSv1.3'] } : {}),
    ...withNeedsMet('listener', listener, port.meets),
  };
}

/** Certificates by reference come first, then those from Secrets, which replace the default certificate of cloud.conf. */
function certificatesOf(port: Port, context: TlsContext, problems: Problem[]): readonly (string | Ref)[] {
  const isDefault = port.spelled['ServicePort.tlsReferences'] === undefined;
  const isReplaced = isDefault && (port.ServicePort.tlsSecrets ?? []).length > 0;
  const named = isReplaced ? [] : refsOf('tlsReferences', port, context, problems);
  return [...named, ...refsOfSecrets(port, context, problems)];
}

/** Octavia takes client_authentication and the revocation list only with a CA. */
function desireClientCertificates(port: Port, context: TlsContext, problems: Problem[]): Partial<Listener> {
  const [ca] = refsOf('clientCa', port, context, problems);
  const [crl] = refsOf('clientCrl', port, context, problems);
  const { client_authentication: mode = 'NONE' } = port.listener;
  const needing = [
    ...(mode === 'NONE' ? [] : ['listener.client_authentication']),
    ...(crl === undefined ? [] : ['ServicePort.clientCrl']),
  ];
  const message =
    'needs levelset.openstack.org/client-ca-tls-container-ref; until it is there, the Service is blocked';
  for (const what of port.ServicePort.clientCa === undefined ? needing : []) {
    const { name = what, text = '' } = port.spelled[what] ?? {};
    problems.push({ field: name, value: text, message, blocking: true });
  }
  return withoutUndefined({ client_ca_tls_container_ref: ca, client_crl_container_ref: crl });
}

/** The redirect prefix has a host, which the Service must name (decision 16). Octavia renders no policy without a rule, so a rule matches all. */
function desireRedirect(
  { ServicePort, spelled, listens, at, index }: Port,
  { intent: { annotated, service }, cluster }: PortContext,
  problems: Problem[],
): readonly DesiredResource[] {
  const { redirectHttp, redirectHost = annotated.Service.hostname, redirectHttpCode = 302 } = ServicePort;
  if (redirectHttp !== true || listens !== 'HTTP') return [];
  if (redirectHost === undefined) {
    const message = `needs a host: name one in levelset.openstack.org/redirect-host; levelset does not redirect ${at} until then`;
    const { name = 'levelset.openstack.org/redirect-http', text = 'true' } =
      spelled['ServicePort.redirectHttp'] ?? {};
    problems.push({ field: name, value: text, message });
    return [];
  }
  const policy: DesiredResource<'l7policy'> = {
    kind: 'l7policy',
    address: `l7policy/${at}/redirect`,
    parent: `listener/${at}`,
    attributes: {
      name: childName('redirect', index, loadBalancerName(cluster.name, keyOf(service))),
      action: 'REDIRECT_PREFIX',
      redirect_prefix: `https://${redirectHost}`,
      redirect_http_code: redirectHttpCode,
      position: 1,
      admin_state_up: true,
      listener_id: { $ref: `listener/${at}.id` },
      tags: [clusterTag(cluster)],
    },
  };
  const rule: DesiredResource<'l7rule'> = {
    kind: 'l7rule',
    address: `l7rule/${at}/redirect`,
    parent: policy.address,
    attributes: { type: 'PATH', compare_type: 'STARTS_WITH', value: '/', admin_state_up: true },
  };
  return [policy, rule];
}

interface PortContext extends TlsContext {
  readonly intent: ServiceIntent;
  readonly cluster: ClusterIdentity;
}

function desirePool(
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
    const field = port.spelled['healthmonitor.delay']?.name ?? 'monitor-delay in cloud.conf';
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
