import { UUID_PATTERN } from '../text/text.ts';
import { X509Certificate, createHash } from 'node:crypto';
import { TAG_PREFIX, type ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { Address } from '../address.ts';

/** A container or secret of Barbican, named by its id or its URL. */
export interface TlsReference {
  readonly id: string;
  /** Undefined for an id alone, which may be that of a container or of a secret. */
  readonly collection?: 'containers' | 'secrets';
}

const ID = new RegExp(`^${UUID_PATTERN}$`, 'i');
const ADDRESS = new RegExp(
  `^https?://[^\\s/?#]+(/[^\\s?#]*)?/(containers|secrets)/(${UUID_PATTERN})/?$`,
  'i',
);

/** The reference in a text; undefined if there is none. Host and path of a URL do not count (decision 31). */
export function parseTlsReference(text: string): TlsReference | undefined {
  if (ID.test(text)) return { id: text.toLowerCase() };
  const [, , collection, id] = ADDRESS.exec(text) ?? [];
  if (collection === undefined || id === undefined) return undefined;
  return { id: id.toLowerCase(), collection: collection.toLowerCase() as 'containers' | 'secrets' };
}

/** One spelling of a reference, for comparison. A text that is no reference stays as it is. */
export function identityOf(reference: unknown): unknown {
  if (typeof reference !== 'string') return reference ?? null;
  return parseTlsReference(reference)?.id.replaceAll('-', '') ?? reference;
}

export interface CertificateQuestion {
  /** Empty if another store has the certificates (`container-store`): Octavia gets those references as they are. */
  readonly references: readonly TlsReference[];
}

/** A reference as Barbican writes it, or why the certificate cannot be used. */
export type FoundCertificate =
  | {
      readonly ref: string;
      /** The certificate's end, RFC 3339; undefined if it cannot be read without the private key. */
      readonly notAfter?: string;
    }
  | { readonly because: string };

export interface CertificateFacts {
  readonly references: ReadonlyMap<string, FoundCertificate>;
}

/** A certificate that a listener uses. */
export interface CertificateInUse {
  readonly name: string;
  readonly notAfter: string;
}

/** The time before its expiry for which a certificate is reported. */
export const RENEW_WITHIN_MS = 14 * 24 * 3_600_000;

/** The current time, and the time up to which an expiry is reported. Both are in RFC 3339, which compares as text. */
export interface Horizon {
  readonly now: string;
  readonly soon: string;
  readonly anHourAgo: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When a certificate expires, in RFC 3339. OpenSSL writes `Dec  1 00:00:00 2026 GMT`. */
export function notAfterOf({ validTo }: Pick<X509Certificate, 'validTo'>): string {
  const [month = '', day = '', time = '', year = ''] = validTo.split(/ +/);
  const two = (number: number | string): string => String(number).padStart(2, '0');
  return `${year}-${two(MONTHS.indexOf(month) + 1)}-${two(day)}T${time}Z`;
}

/** When the first certificate in a PEM text expires; undefined if there is none. */
export function notAfterIn(pem: string): string | undefined {
  try {
    return notAfterOf(new X509Certificate(pem));
  } catch {
    return undefined;
  }
}

/** The certificate in a Secret. A renewed one has another fingerprint. */
interface CertificateSource {
  readonly secret: string;
  readonly fingerprint: string;
}

/** The attribute `mode`, by which Barbican filters lists. */
export const storedMode = (cluster: ClusterIdentity): string => `${TAG_PREFIX}${cluster.id}`;

/** `levelset/<hash of the cluster>/<namespace>/<Service>/<Secret>/<fingerprint>`: each Service has its own copy. */
export function storedName(cluster: ClusterIdentity, service: ServiceKey, source: CertificateSource): string {
  const { namespace, name } = service;
  return [
    'levelset',
    shortOfCluster(cluster),
    namespace,
    name,
    cutSecret(source.secret),
    source.fingerprint,
  ].join('/');
}

export function storedAddress({ secret, fingerprint }: CertificateSource): Address {
  return `secret/${cutSecret(secret)}/${fingerprint}`;
}

/** Undefined for a name that is not this cluster's. */
export function readStoredName(
  name: unknown,
  cluster: ClusterIdentity,
): { readonly service: ServiceKey; readonly address: Address } | undefined {
  const [mark, id, namespace, service, secret, fingerprint, more] = String(name).split('/');
  if (mark !== 'levelset' || id !== shortOfCluster(cluster) || more !== undefined) return undefined;
  if (!namespace || !service || !secret || !fingerprint) return undefined;
  return { service: { namespace, name: service }, address: storedAddress({ secret, fingerprint }) };
}

/** The namespace of the Service for which a certificate is stored, with its cluster if that is another one. */
export function namespaceInStoredName(name: unknown, cluster: ClusterIdentity): string | undefined {
  const [mark, id, namespace, ...rest] = String(name).split('/');
  if (mark !== 'levelset' || id === undefined || namespace === undefined || rest.length !== 3)
    return undefined;
  return id === shortOfCluster(cluster) ? namespace : `${namespace} of cluster ${id}`;
}

function shortOfCluster(cluster: ClusterIdentity): string {
  return hash(cluster.id).slice(0, 12);
}

/** Characters of a Secret's name that fit into 255 with the rest (decision 31). */
const LONGEST_SECRET = 60;

function cutSecret(secret: string): string {
  return secret.length <= LONGEST_SECRET
    ? secret
    : `${secret.slice(0, LONGEST_SECRET - 9)}-${hash(secret).slice(0, 8)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
