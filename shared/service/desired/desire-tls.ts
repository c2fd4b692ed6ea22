import { withNeedsMet } from '../../model/attributes.ts';
import { parseTlsReference } from '../../model/tls/certificate-facts.ts';
import type { CertificateFacts } from '../../model/tls/certificate-facts.ts';
import type { Problem } from '../../model/plan.ts';
import type { Ref } from '../../model/address.ts';
import type { Listener, Pool } from '../../model/resources.ts';
import type { ListenerProtocol } from '../../model/attributes/listener.ts';
import type { BarbicanSetting, CertificateStore } from '../intent/cloud-questions.ts';
import { CERTIFICATES } from '../intent/protocols.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { refsOfSecrets } from './served-secrets.ts';
import type { ServedSecrets } from './served-secrets.ts';

/** The certificates that were found, and the store to which references lead. */
export interface TlsContext {
  readonly store: CertificateStore;
  readonly certificates: CertificateFacts;
  readonly secrets: ServedSecrets;
}

interface ListenerTls {
  readonly attributes: Partial<Listener>;
  readonly problems: readonly Problem[];
}

/** Certificates and settings of a listener that terminates TLS. */
export function desireTls(
  protocol: ListenerProtocol,
  index: number,
  portIntent: PortIntent,
  context: TlsContext,
): ListenerTls {
  if (protocol !== 'TERMINATED_HTTPS') return { attributes: {}, problems: [] };
  const certificates = certificatesOf(portIntent, context);
  const client = desireClientCertificates(portIntent, context);
  const [first, ...others] = certificates.refs;
  const { listener } = portIntent;
  const hsts = listener.hsts_max_age === undefined ? [] : (['hsts'] as const);
  const versions = portIntent.ServicePort.lowTls ? { tls_versions: ['TLSv1.2', 'TLSv1.3'] } : {};
  return {
    attributes: {
      ...attributesOf(first, others),
      ...client.attributes,
      ...versions,
      ...withNeedsMet('listener', listener, ['tls', ...hsts]),
    },
    problems: [
      ...certificates.problems,
      ...(first === undefined && certificates.problems.length === 0
        ? [noCertificate(index, portIntent)]
        : []),
      ...conflict(portIntent),
      ...client.problems,
    ],
  };
}

/**
 * The certificates of a port: first those by reference, then those from Secrets. Secrets replace the default
 * certificate of cloud.conf.
 */
function certificatesOf(portIntent: PortIntent, { store, certificates, secrets }: TlsContext): Certificates {
  const stored = refsOfSecrets(portIntent, secrets);
  const isDefault = portIntent.spelled['ServicePort.tlsReferences'] === undefined;
  if (isDefault && (portIntent.ServicePort.tlsSecrets ?? []).length > 0) return stored;
  const named = resolve('tlsReferences', portIntent, store, certificates);
  return { refs: [...named.refs, ...stored.refs], problems: [...named.problems, ...stored.problems] };
}

interface Certificates {
  readonly refs: readonly (string | Ref)[];
  readonly problems: readonly Problem[];
}

function attributesOf(first: string | Ref | undefined, others: readonly (string | Ref)[]): Partial<Listener> {
  return {
    ...(first === undefined ? {} : { default_tls_container_ref: first }),
    ...(others.length === 0 ? {} : { sni_container_refs: others }),
  };
}

function noCertificate(index: number, { spelled }: PortIntent): Problem {
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
function desireClientCertificates(portIntent: PortIntent, { store, certificates }: TlsContext): ListenerTls {
  const ca = resolve('clientCa', portIntent, store, certificates);
  const crl = resolve('clientCrl', portIntent, store, certificates);
  const problems = [...ca.problems, ...crl.problems];
  if (ca.refs.length === 0 && ca.problems.length === 0) {
    const { client_authentication: mode = 'NONE' } = portIntent.listener;
    const needing = [
      ...(mode === 'NONE' ? [] : [spelled(portIntent, 'listener.client_authentication')]),
      ...(crl.refs.length === 0 ? [] : [spelled(portIntent, 'ServicePort.clientCrl')]),
    ];
    const message =
      'needs levelset.openstack.org/client-ca-tls-container-ref; levelset changes nothing until it is there';
    problems.push(...needing.map((problem) => ({ ...problem, message, blocking: true as const })));
  }
  return {
    attributes: {
      ...(ca.refs[0] === undefined ? {} : { client_ca_tls_container_ref: ca.refs[0] }),
      ...(crl.refs[0] === undefined ? {} : { client_crl_container_ref: crl.refs[0] }),
    },
    problems,
  };
}

function spelled(portIntent: PortIntent, what: string): Pick<Problem, 'field' | 'value'> {
  const { name = what, text = '' } = portIntent.spelled[what] ?? {};
  return { field: name, value: text };
}

/** TLS from the load balancer to the members of a TCP port with pool-tls (decision 16). */
export function desirePoolTls(
  portIntent: PortIntent,
  { store, certificates }: TlsContext,
): { readonly attributes: Partial<Pool>; readonly problems: readonly Problem[] } {
  const ca = resolve('poolCa', portIntent, store, certificates);
  const own = resolve('poolCertificate', portIntent, store, certificates);
  return {
    attributes: {
      ...withNeedsMet('pool', portIntent.pool, ['tcp', 'tls-to-members']),
      ...(ca.refs[0] === undefined ? {} : { ca_tls_container_ref: ca.refs[0] }),
      ...(own.refs[0] === undefined ? {} : { tls_container_ref: own.refs[0] }),
    },
    problems: [...ca.problems, ...own.problems],
  };
}

export const DEFAULT_CERTIFICATE = 'default-tls-container-ref in cloud.conf';

interface Resolved {
  /** The references for Octavia, in the order of the annotation, each once. */
  readonly refs: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * The references of one setting of a port, as Barbican writes them. References to another store stay as they are. One
 * that cannot be found blocks.
 */
function resolve(
  setting: BarbicanSetting,
  { ServicePort, spelled }: PortIntent,
  store: CertificateStore,
  facts: CertificateFacts,
): Resolved {
  const texts = [...new Set([ServicePort[setting] ?? []].flat())];
  if (store === 'external') return { refs: texts, problems: [] };
  const field = spelled[`ServicePort.${setting}`]?.name ?? DEFAULT_CERTIFICATE;
  const refs: string[] = [];
  const problems: Problem[] = [];
  for (const text of texts) {
    const reference = parseTlsReference(text);
    const found = reference && facts.references.get(reference.id);
    if (found && 'ref' in found) refs.push(found.ref);
    else {
      const because =
        found?.because ??
        'must be the id of a certificate container or of a secret, or the address of one (…/containers/ID or …/secrets/ID)';
      problems.push({
        field,
        value: text,
        message: `${because}; levelset changes nothing until it is right`,
        blocking: true,
      });
    }
  }
  return { refs: [...new Set(refs)], problems };
}
