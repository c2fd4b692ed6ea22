import type { ServicePort } from '../../model/kubernetes.ts';
import type { ListenerProtocol } from '../../model/attributes/listener.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import type { PortIntent } from './read-annotations.ts';
import type { PortProtocol } from './annotation-row.ts';

export interface Protocols {
  readonly listener: ListenerProtocol;
  /** Absent for PROMETHEUS: the listener itself answers. */
  readonly pool?: PoolProtocol;
}

const LISTENER: Readonly<Record<PortProtocol, ListenerProtocol>> = {
  tcp: 'TCP',
  http: 'HTTP',
  https: 'HTTPS',
  terminated_https: 'TERMINATED_HTTPS',
  prometheus: 'PROMETHEUS',
};

/**
 * The standard values of appProtocol that mean HTTP to a load balancer. It passes all other protocols through (decision
 * 16).
 */
const APP_PROTOCOL: ReadonlyMap<string | undefined, ListenerProtocol> = new Map([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
]);

/**
 * The protocols of a port's listener and pool. A UDP or SCTP port speaks just that, whatever the annotations say. For a
 * TCP port the first of these counts: TLS if certificates are named and win over a protocol annotation, the protocol
 * annotation, HTTP for the X-Forwarded settings, appProtocol, TCP.
 */
export function protocolsOf(port: ServicePort, annotated: PortIntent): Protocols {
  const transport = (port.protocol ?? 'TCP') as 'TCP' | 'UDP' | 'SCTP';
  if (transport !== 'TCP') return { listener: transport, pool: transport };
  const { ServicePort: settings } = annotated;
  const byAnnotation = settings.protocol && LISTENER[settings.protocol];
  const wantsHeader =
    settings.xForwardedFor === true || settings.xForwardedPort === true || settings.xForwardedProto === true;
  const byHeader = wantsHeader ? 'HTTP' : undefined;
  const protocol = wantsCertificates(annotated)
    ? 'TERMINATED_HTTPS'
    : (byAnnotation ?? byHeader ?? APP_PROTOCOL.get(port.appProtocol) ?? 'TCP');
  if (protocol === 'PROMETHEUS') return { listener: protocol };
  const plain = protocol === 'TERMINATED_HTTPS' ? 'HTTP' : protocol;
  return { listener: protocol, pool: settings.proxyProtocol ?? plain };
}

/** The settings of annotations that name certificates. */
export const CERTIFICATES = ['ServicePort.tlsReferences', 'ServicePort.tlsSecrets'] as const;

/**
 * Whether a TCP port terminates TLS because of its certificates. Another protocol wins over them if its annotation is
 * for this one port and the certificates are for all ports, or if the certificates are those of cloud.conf.
 */
function wantsCertificates({ ServicePort: settings, spelled }: PortIntent): boolean {
  if ((settings.tlsReferences ?? []).length + (settings.tlsSecrets ?? []).length === 0) return false;
  if (settings.protocol === undefined || settings.protocol === 'terminated_https') return true;
  const named = CERTIFICATES.flatMap((what) => spelled[what] ?? []);
  const forThisPort = spelled['ServicePort.protocol']?.ofOnePort === true;
  return named.length > 0 && (!forThisPort || named.some(({ ofOnePort }) => ofOnePort));
}

/** Whether a listener reads HTTP requests, and so can change them. */
export function readsHttp(protocol: ListenerProtocol): boolean {
  return protocol === 'HTTP' || protocol === 'TERMINATED_HTTPS';
}
