import { UUID_PATTERN } from '../text/text.ts';
import { X509Certificate } from 'node:crypto';

/** A certificate container or a secret of Barbican, as people and services name it: by id or by address. */
export interface TlsReference {
  readonly id: string;
  /** Undefined for a plain id, which may be either. */
  readonly collection?: 'containers' | 'secrets';
}

const ID = new RegExp(`^${UUID_PATTERN}$`, 'i');
const ADDRESS = new RegExp(
  `^https?://[^\\s/?#]+(/[^\\s?#]*)?/(containers|secrets)/(${UUID_PATTERN})/?$`,
  'i',
);

/** Of an address only kind and id count: where Barbican is, the catalog says (decision 30). */
export function parseTlsReference(text: string): TlsReference | undefined {
  if (ID.test(text)) return { id: text.toLowerCase() };
  const [, , collection, id] = ADDRESS.exec(text) ?? [];
  if (collection === undefined || id === undefined) return undefined;
  return { id: id.toLowerCase(), collection: collection.toLowerCase() as 'containers' | 'secrets' };
}

/** What two ways to name one certificate have in common; a text that names none stands for itself. */
export function identityOf(reference: unknown): unknown {
  if (typeof reference !== 'string') return reference ?? null;
  return parseTlsReference(reference)?.id.replaceAll('-', '') ?? reference;
}

/** What observe has to look up for the certificates that Services name. */
export interface CertificateQuestion {
  /** In Barbican; none when the references are another store's and are sent as they are (container-store). */
  readonly references: readonly TlsReference[];
}

/** A reference as Barbican itself writes it, or why it cannot be used. */
export type FoundCertificate =
  | {
      readonly ref: string;
      /** RFC 3339; undefined where that could not be read without the private key. */
      readonly notAfter?: string;
    }
  | { readonly because: string };

export interface CertificateFacts {
  /** By id. */
  readonly references: ReadonlyMap<string, FoundCertificate>;
}

export const NO_CERTIFICATES: CertificateFacts = { references: new Map() };

/** A certificate that a listener uses. */
export interface CertificateInUse {
  /** Of its Secret, or its id in Barbican. */
  readonly name: string;
  /** RFC 3339. */
  readonly notAfter: string;
}

/** So long before a certificate expires people are told. */
export const RENEW_WITHIN_MS = 14 * 24 * 3_600_000;

/** Now, and the time up to which what expires is told of; RFC 3339, so that they compare as text. */
export interface Horizon {
  readonly now: string;
  readonly soon: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When a certificate ends to be good; OpenSSL says `Dec  1 00:00:00 2026 GMT`. */
export function notAfterOf({ validTo }: Pick<X509Certificate, 'validTo'>): string {
  const [month = '', day = '', time = '', year = ''] = validTo.split(/ +/);
  const two = (number: number | string): string => String(number).padStart(2, '0');
  return `${year}-${two(MONTHS.indexOf(month) + 1)}-${two(day)}T${time}Z`;
}

/** The same of the first certificate in a text; undefined where there is none. */
export function notAfterIn(pem: string): string | undefined {
  try {
    return notAfterOf(new X509Certificate(pem));
  } catch {
    return undefined;
  }
}
