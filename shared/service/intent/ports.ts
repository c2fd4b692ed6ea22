import { portKeyOfPort } from '../../model/address.ts';
import type { Service, ServicePort } from '../../model/kubernetes.ts';
import type { ListenerProtocol } from '../../model/attributes/listener.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import { goesToPods } from '../../model/load-balancer/observed-service.ts';
import type { Annotated, PortIntent } from './read-annotations.ts';
import type { AnnotationNeed, Targets } from './annotations.ts';

export interface Port extends PortIntent {
  readonly spec: ServicePort;
  readonly index: number;
  readonly transport: 'TCP' | 'UDP' | 'SCTP';
  /** `tcp/80`: the part that the plan addresses of everything at the port share. */
  readonly at: string;
  readonly listens: ListenerProtocol;
  /** The protocol of the pool. Absent for PROMETHEUS: the listener itself answers. */
  readonly pools?: PoolProtocol;
  readonly isDirect: boolean;
  /** Where kube-proxy tells whether a node has an endpoint; only with policy Local (docs/sources/kubernetes.md, "Health check node port"). */
  readonly healthPort?: number;
  /** The type of the health check; absent: the members are not checked. */
  readonly check?: string;
  readonly meets: ReadonlySet<string>;
}

export function portsOf(service: Service, annotated: Annotated): readonly Port[] {
  const { ports = [], externalTrafficPolicy, healthCheckNodePort } = service.spec;
  return annotated.ports.flatMap((port, index) => {
    const spec = ports[index];
    if (!spec) return [];
    const transport = (spec.protocol ?? 'TCP') as Port['transport'];
    const isDirect = goesToPods(service, spec);
    const isLocal = externalTrafficPolicy === 'Local' && !isDirect;
    const healthPort = isLocal && healthCheckNodePort ? { healthPort: healthCheckNodePort } : {};
    const check = checkOf(port, transport, 'healthPort' in healthPort);
    const own = {
      ...port,
      spec,
      index,
      transport,
      at: portKeyOfPort(spec),
      isDirect,
      ...healthPort,
      ...check,
    };
    const read = { ...own, ...protocolsOf(spec, transport, port) };
    return { ...read, meets: needsMetBy(read) };
  });
}

function needsMetBy(port: Omit<Port, 'meets'>): Port['meets'] {
  const { listens, transport, listener, pool, ServicePort, healthPort, check } = port;
  const isTls = listens === 'TERMINATED_HTTPS';
  const isTcp = transport === 'TCP';
  const isMet: Readonly<Record<Exclude<AnnotationNeed, 'floating-ip'>, boolean>> = {
    tcp: isTcp,
    requests: readsHttp(port),
    http: listens === 'HTTP',
    redirect: ServicePort.redirectHttp === true,
    tls: isTls,
    hsts: isTls && listener.hsts_max_age !== undefined,
    'tls-to-members': isTcp && pool.tls_enabled === true,
    check: check !== undefined,
    'http-check': healthPort === undefined && (check === 'HTTP' || check === 'HTTPS'),
  };
  return new Set(Object.entries(isMet).flatMap(([need, met]) => (met ? [need] : [])));
}

/** kube-proxy's answer with policy Local, or nodes without an endpoint would lose traffic; else the annotation's check, or a connection. */
function checkOf(
  { ServicePort, healthmonitor: { type } }: PortIntent,
  transport: Port['transport'],
  isLocal: boolean,
): Pick<Port, 'check'> {
  if (isLocal) return { check: 'HTTP' };
  if (ServicePort.monitor !== true) return {};
  const isOfUdp = type === 'UDP-CONNECT' || type === 'SCTP';
  const fits = transport === 'TCP' ? !isOfUdp : isOfUdp || type === 'TCP' || type === 'HTTP';
  return { check: type !== undefined && fits ? type : transport === 'UDP' ? 'UDP-CONNECT' : transport };
}

const LISTENER: Readonly<Record<Targets['ServicePort']['protocol'], ListenerProtocol>> = {
  tcp: 'TCP',
  http: 'HTTP',
  https: 'HTTPS',
  terminated_https: 'TERMINATED_HTTPS',
  prometheus: 'PROMETHEUS',
};

/** The standard values of appProtocol that mean HTTP to a load balancer. It passes all others through (decision 16). */
const APP_PROTOCOL: ReadonlyMap<string | undefined, ListenerProtocol> = new Map([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
]);

/**
 * UDP and SCTP speak just that. For a TCP port the first of these counts: TLS if certificates win over a protocol annotation, that annotation,
 * HTTP for the X-Forwarded settings, appProtocol, TCP.
 */
function protocolsOf(
  spec: ServicePort,
  transport: Port['transport'],
  annotated: PortIntent,
): Pick<Port, 'listens' | 'pools'> {
  if (transport !== 'TCP') return { listens: transport, pools: transport };
  const { protocol, xForwardedFor, xForwardedPort, xForwardedProto, proxyProtocol } = annotated.ServicePort;
  const byHeader = xForwardedFor || xForwardedPort || xForwardedProto ? 'HTTP' : undefined;
  const byAnnotation = protocol && LISTENER[protocol];
  const listens = wantsCertificates(annotated)
    ? 'TERMINATED_HTTPS'
    : (byAnnotation ?? byHeader ?? APP_PROTOCOL.get(spec.appProtocol) ?? 'TCP');
  if (listens === 'PROMETHEUS') return { listens };
  return { listens, pools: proxyProtocol ?? (listens === 'TERMINATED_HTTPS' ? 'HTTP' : listens) };
}

export const CERTIFICATES = ['ServicePort.tlsReferences', 'ServicePort.tlsSecrets'] as const;

/** Another protocol wins over certificates if its annotation is for this port and theirs for all ports, or if they are those of cloud.conf. */
function wantsCertificates({ ServicePort: settings, spelled }: PortIntent): boolean {
  if ((settings.tlsReferences ?? []).length + (settings.tlsSecrets ?? []).length === 0) return false;
  if (settings.protocol === undefined || settings.protocol === 'terminated_https') return true;
  const named = CERTIFICATES.flatMap((what) => spelled[what] ?? []);
  const forThisPort = spelled['ServicePort.protocol']?.ofOnePort === true;
  return named.length > 0 && (!forThisPort || named.some(({ ofOnePort }) => ofOnePort));
}

export function isProxied({ pools }: Port): boolean {
  return pools === 'PROXY' || pools === 'PROXYV2';
}

/** Whether a listener reads HTTP requests, and so can change them. */
export function readsHttp({ listens }: Pick<Port, 'listens'>): boolean {
  return listens === 'HTTP' || listens === 'TERMINATED_HTTPS';
}
