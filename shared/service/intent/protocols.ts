import type { ServicePort } from '../../model/kubernetes.ts';
import type { ListenerProtocol, PoolProtocol } from '../../model/resources.ts';
import type { PortIntent } from './read-annotations.ts';
import type { PortProtocol } from './annotation-row.ts';

export interface Protocols {
  readonly listener: ListenerProtocol;
  /** Absent: the listener answers by itself. */
  readonly pool?: PoolProtocol;
}

const LISTENER: Readonly<Record<PortProtocol, ListenerProtocol>> = {
  tcp: 'TCP',
  http: 'HTTP',
  https: 'HTTPS',
  terminated_https: 'TERMINATED_HTTPS',
  prometheus: 'PROMETHEUS',
};

/** The standard values of appProtocol that a load balancer can do more with than pass them through (decision 16). */
const APP_PROTOCOL: ReadonlyMap<string | undefined, ListenerProtocol> = new Map([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
]);

/**
 * What the listener and the pool of a port speak: TLS where there are certificates, else what an annotation asks for, else
 * what appProtocol says. UDP and SCTP ports are just that, whatever is asked for the TCP ports beside them.
 */
export function protocolsOf(port: ServicePort, annotated: PortIntent): Protocols {
  const transport = (port.protocol ?? 'TCP') as 'TCP' | 'UDP' | 'SCTP';
  if (transport !== 'TCP') return { listener: transport, pool: transport };
  const { ServicePort: asked } = annotated;
  const byAnnotation = asked.protocol && LISTENER[asked.protocol];
  const isHeaderAsked =
    asked.xForwardedFor === true || asked.xForwardedPort === true || asked.xForwardedProto === true;
  const byHeader = isHeaderAsked ? 'HTTP' : undefined;
  const protocol = wantsCertificates(annotated)
    ? 'TERMINATED_HTTPS'
    : (byAnnotation ?? byHeader ?? APP_PROTOCOL.get(port.appProtocol) ?? 'TCP');
  if (protocol === 'PROMETHEUS') return { listener: protocol };
  const plain = protocol === 'TERMINATED_HTTPS' ? 'HTTP' : protocol;
  return { listener: protocol, pool: asked.proxyProtocol ?? plain };
}

/** Annotations that name certificates, by what they set. */
export const CERTIFICATES = ['ServicePort.tlsReferences', 'ServicePort.tlsSecrets'] as const;

/**
 * Whether a TCP port terminates TLS because certificates are named. A protocol that is asked for the one port goes before
 * certificates for all of them, and one that the Service asks for before those of cloud.conf.
 */
function wantsCertificates({ ServicePort: asked, spelled }: PortIntent): boolean {
  if ((asked.tlsReferences ?? []).length + (asked.tlsSecrets ?? []).length === 0) return false;
  if (asked.protocol === undefined || asked.protocol === 'terminated_https') return true;
  const named = CERTIFICATES.flatMap((what) => spelled[what] ?? []);
  const forThisPort = spelled['ServicePort.protocol']?.ofOnePort === true;
  return named.length > 0 && (!forThisPort || named.some(({ ofOnePort }) => ofOnePort));
}

/** Whether the load balancer reads requests on it, and so can change them. */
export function readsHttp(protocol: ListenerProtocol): boolean {
  return protocol === 'HTTP' || protocol === 'TERMINATED_HTTPS';
}
