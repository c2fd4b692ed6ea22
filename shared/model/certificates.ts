import { X509Certificate } from 'node:crypto';
import type { TlsReference } from './tls-reference.ts';

/** What observe has to look up for the certificates that Services name. */
export interface CertificateQuestion {
  /** In Barbican; none when the references are another store's and are sent as they are (container-store). */
  readonly references: readonly TlsReference[];
}

/** A reference as Barbican itself writes it, or why it cannot be used. */
export type FoundCertificate =
  | {
      readonly ref: string;
      /** Milliseconds since 1970; undefined where that could not be read without the private key. */
      readonly notAfter?: number;
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
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** So long before a certificate expires people are told. */
export const RENEW_WITHIN_MS = 14 * 24 * 3_600_000;

/** When a certificate ends to be good, in milliseconds since 1970. */
export function notAfterOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo);
}

/** The same of the first certificate in a text; undefined where there is none. */
export function notAfterIn(pem: string): number | undefined {
  try {
    return notAfterOf(new X509Certificate(pem));
  } catch {
    return undefined;
  }
}
