import { parseTlsReference } from '../../model/tls/certificate-facts.ts';
import type { CertificateFacts } from '../../model/tls/certificate-facts.ts';
import type { Problem } from '../../model/plan.ts';
import type { Ref } from '../../model/address.ts';
import type { Listener, ListenerProtocol, Pool } from '../../model/resources.ts';
import type { BarbicanSetting, CertificateStore } from '../intent/cloud-questions.ts';
import { CERTIFICATES } from '../intent/protocols.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { refsOfSecrets } from './served-secrets.ts';
import type { ServedSecrets } from './served-secrets.ts';

/** What is known of the cloud that TLS depends on. */
export interface TlsContext {
  readonly store: CertificateStore;
  readonly certificates: CertificateFacts;
  readonly secrets: ServedSecrets;
}

interface ListenerTls {
  readonly attributes: Partial<Listener>;
  readonly problems: readonly Problem[];
}

/** Attributes that only a listener that terminates TLS takes; on others they are not desired. */
const TLS_ONLY = [
  ...['tls_versions', 'tls_ciphers', 'alpn_protocols', 'client_authentication'],
  ...['hsts_max_age', 'hsts_include_subdomains', 'hsts_preload'],
];

/** What is asked for a listener, without what its protocol does not know. */
export function withoutTls(portIntent: Partial<Listener>): Partial<Listener> {
  return Object.fromEntries(Object.entries(portIntent).filter(([name]) => !TLS_ONLY.includes(name)));
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
  const versions = portIntent.ServicePort.lowTls ? { tls_versions: ['TLSv1.2', 'TLSv1.3'] } : {};
  const settings = Object.entries(portIntent.listener).filter(([name]) => TLS_ONLY.includes(name));
  const hsts = withoutLooseHsts({ ...versions, ...Object.fromEntries(settings) }, portIntent);
  return {
    attributes: { ...attributesOf(first, others), ...client.attributes, ...hsts.attributes },
    problems: [
      ...certificates.problems,
      ...(first === undefined && certificates.problems.length === 0
        ? [noCertificate(index, portIntent)]
        : []),
      ...conflict(portIntent),
      ...client.problems,
      ...hsts.problems,
    ],
  };
}

/** By reference, then out of Secrets; a Secret takes the place of the certificate that cloud.conf has for all. */
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
    'needs a certificate, such as levelset.openstack.org/tls-container-refs names; nothing is changed until it has one';
  return { field: name, value: text, message, blocking: true };
}

/** Certificates go before a protocol that has no use for them: what was to be encrypted is. */
function conflict({ ServicePort: { protocol }, spelled }: PortIntent): readonly Problem[] {
  const { name, text } = spelled['ServicePort.protocol'] ?? {};
  if (name === undefined || text === undefined || protocol === 'terminated_https') return [];
  const named = CERTIFICATES.flatMap((what) => spelled[what]?.name ?? []).join(' and ');
  const message = `is not applied: ${named} names certificates, so the port terminates TLS; take one of the two away`;
  return [{ field: name, value: text, message }];
}

/** Octavia wants to know who signs before it asks clients for certificates, and before it hears of withdrawn ones. */
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
      'needs levelset.openstack.org/client-ca-tls-container-ref; nothing is changed until it is there';
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

const NEEDING = ['hsts_include_subdomains', 'hsts_preload'];

/** How far HSTS reaches means nothing without how long it lasts, and Octavia refuses it (Octavia API 2.27). */
export function withoutLooseHsts(
  settings: Partial<Listener>,
  { spelled }: PortIntent,
): { readonly attributes: Partial<Listener>; readonly problems: readonly Problem[] } {
  if (settings.hsts_max_age !== undefined) return { attributes: settings, problems: [] };
  const loose = Object.keys(settings).filter((name) => NEEDING.includes(name));
  const kept = Object.entries(settings).filter(([name]) => !loose.includes(name));
  return {
    attributes: Object.fromEntries(kept),
    problems: loose.map((attribute) => {
      const { name = attribute, text = '' } = spelled[`listener.${attribute}`] ?? {};
      const message = 'is not applied: it needs levelset.openstack.org/hsts-max-age';
      return { field: name, value: text, message };
    }),
  };
}

const POOL_TLS = ['tls_enabled', 'tls_versions', 'tls_ciphers'];

/** What is asked for a pool, without what only counts where its members are spoken to by TLS. */
export function withoutPoolTls(portIntent: Partial<Pool>): Partial<Pool> {
  return Object.fromEntries(Object.entries(portIntent).filter(([name]) => !POOL_TLS.includes(name)));
}

/** TLS to the members of a pool, once more or for the first time (decision 16): only where it is asked for. */
export function desirePoolTls(
  portIntent: PortIntent,
  { store, certificates }: TlsContext,
): { readonly attributes: Partial<Pool>; readonly problems: readonly Problem[] } {
  if (portIntent.pool.tls_enabled !== true) return { attributes: {}, problems: uselessPoolTls(portIntent) };
  const ca = resolve('poolCa', portIntent, store, certificates);
  const own = resolve('poolCertificate', portIntent, store, certificates);
  const settings = Object.entries(portIntent.pool).filter(([name]) => POOL_TLS.includes(name));
  return {
    attributes: {
      ...(Object.fromEntries(settings) as Partial<Pool>),
      ...(ca.refs[0] === undefined ? {} : { ca_tls_container_ref: ca.refs[0] }),
      ...(own.refs[0] === undefined ? {} : { tls_container_ref: own.refs[0] }),
    },
    problems: [...ca.problems, ...own.problems],
  };
}

/** How TLS is spoken to members is asked for, but not that it is: somebody may believe that it were. */
function uselessPoolTls({ spelled }: PortIntent): readonly Problem[] {
  const settings = [
    'pool.tls_versions',
    'pool.tls_ciphers',
    'ServicePort.poolCa',
    'ServicePort.poolCertificate',
  ];
  const message = 'is not applied: it needs levelset.openstack.org/pool-tls with the value true';
  return settings.flatMap((what) => {
    const { name, text } = spelled[what] ?? {};
    return name === undefined || text === undefined ? [] : [{ field: name, value: text, message }];
  });
}

/** Which certificates of Barbican Services name, and what they are called there. */

export const DEFAULT_CERTIFICATE = 'default-tls-container-ref in cloud.conf';

export interface Resolved {
  /** As Octavia is to be told, in the order they were named, each once. */
  readonly refs: readonly string[];
  readonly problems: readonly Problem[];
}

/** The references of one setting of a port, as Barbican itself writes them; another store's are sent as they are. */
export function resolve(
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
        message: `${because}; nothing is changed until it is right`,
        blocking: true,
      });
    }
  }
  return { refs: [...new Set(refs)], problems };
}
