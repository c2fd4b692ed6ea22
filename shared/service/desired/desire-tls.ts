import { withNeedsMet } from '../../model/attributes.ts';
import { withoutUndefined } from '../../model/json.ts';
import type { Problem } from '../../model/plan.ts';
import type { Listener, Pool } from '../../model/resources.ts';
import { CERTIFICATES } from '../intent/ports.ts';
import type { Port } from '../intent/ports.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { refsOf, refsOfSecrets } from './certificates.ts';
import type { Certificates, TlsContext } from './certificates.ts';

interface ListenerTls {
  readonly attributes: Partial<Listener>;
  readonly problems: readonly Problem[];
}

/** Certificates and settings of a listener that terminates TLS. */
export function desireTls(port: Port, context: TlsContext): ListenerTls {
  if (port.listens !== 'TERMINATED_HTTPS') return { attributes: {}, problems: [] };
  const certificates = certificatesOf(port, context);
  const client = desireClientCertificates(port, context);
  const [first, ...others] = certificates.refs;
  const { listener } = port;
  const hsts = listener.hsts_max_age === undefined ? [] : (['hsts'] as const);
  const isMissing = first === undefined && certificates.problems.length === 0;
  return {
    attributes: {
      ...withoutUndefined({ default_tls_container_ref: first }),
      ...(others.length === 0 ? {} : { sni_container_refs: others }),
      ...client.attributes,
      ...(port.ServicePort.lowTls ? { tls_versions: ['TLSv1.2', 'TLSv1.3'] } : {}),
      ...withNeedsMet('listener', listener, ['tls', ...hsts]),
    },
    problems: [
      ...certificates.problems,
      ...(isMissing ? [noCertificate(port)] : []),
      ...conflict(port),
      ...client.problems,
    ],
  };
}

/**
 * The certificates of a port: first those by reference, then those from Secrets. Secrets replace the default
 * certificate of cloud.conf.
 */
function certificatesOf(port: Port, context: TlsContext): Certificates {
  const stored = refsOfSecrets(port, context);
  const isDefault = port.spelled['ServicePort.tlsReferences'] === undefined;
  if (isDefault && (port.ServicePort.tlsSecrets ?? []).length > 0) return stored;
  const named = refsOf('tlsReferences', port, context);
  return { refs: [...named.refs, ...stored.refs], problems: [...named.problems, ...stored.problems] };
}

function noCertificate({ index, spelled }: Port): Problem {
  const { name = `spec.ports[${index}]`, text = '' } = spelled['ServicePort.protocol'] ?? {};
  const message =
    'needs a certificate: name one in levelset.openstack.org/tls-container-refs or tls-secret; levelset changes nothing until then';
  return { field: name, value: text, message, blocking: true };
}

/** The Problem of a protocol annotation over which certificates have won: better encrypted than not. */
function conflict({ ServicePort: { protocol }, spelled }: PortIntent): readonly Problem[] {
  const { name, text } = spelled['ServicePort.protocol'] ?? {};
  if (name === undefined || text === undefined || protocol === 'terminated_https') return [];
  const named = CERTIFICATES.flatMap((what) => spelled[what]?.name ?? []).join(' and ');
  const message = `is ignored: ${named} names certificates, so the port terminates TLS; remove one of the two`;
  return [{ field: name, value: text, message }];
}

/**
 * The CA and the revocation list for clients' certificates. Octavia takes client_authentication and the list only with
 * a CA.
 */
function desireClientCertificates(port: Port, context: TlsContext): ListenerTls {
  const ca = refsOf('clientCa', port, context);
  const crl = refsOf('clientCrl', port, context);
  const problems = [...ca.problems, ...crl.problems];
  if (ca.refs.length === 0 && ca.problems.length === 0) {
    const { client_authentication: mode = 'NONE' } = port.listener;
    const needing = [
      ...(mode === 'NONE' ? [] : ['listener.client_authentication']),
      ...(crl.refs.length === 0 ? [] : ['ServicePort.clientCrl']),
    ];
    const message =
      'needs levelset.openstack.org/client-ca-tls-container-ref; levelset changes nothing until it is there';
    for (const what of needing) {
      const { name = what, text = '' } = port.spelled[what] ?? {};
      problems.push({ field: name, value: text, message, blocking: true });
    }
  }
  return {
    attributes: withoutUndefined({
      client_ca_tls_container_ref: ca.refs[0],
      client_crl_container_ref: crl.refs[0],
    }),
    problems,
  };
}

/** TLS from the load balancer to the members of a TCP port with pool-tls (decision 16). */
export function desirePoolTls(
  port: Port,
  context: TlsContext,
): { readonly attributes: Partial<Pool>; readonly problems: readonly Problem[] } {
  if (port.transport !== 'TCP' || !port.pool.tls_enabled) return { attributes: {}, problems: [] };
  const ca = refsOf('poolCa', port, context);
  const own = refsOf('poolCertificate', port, context);
  return {
    attributes: {
      ...withNeedsMet('pool', port.pool, ['tcp', 'tls-to-members']),
      ...withoutUndefined({ ca_tls_container_ref: ca.refs[0], tls_container_ref: own.refs[0] }),
    },
    problems: [...ca.problems, ...own.problems],
  };
}
