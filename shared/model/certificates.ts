import type { TlsReference } from './tls-reference.ts';

/** What observe has to look up for the certificates that Services name. */
export interface CertificateQuestion {
  /** In Barbican; none when the references are another store's and are sent as they are (container-store). */
  readonly references: readonly TlsReference[];
}

/** A reference as Barbican itself writes it, or why it cannot be used. */
export type FoundCertificate = { readonly ref: string } | { readonly because: string };

export interface CertificateFacts {
  /** By id. */
  readonly references: ReadonlyMap<string, FoundCertificate>;
}

export const NO_CERTIFICATES: CertificateFacts = { references: new Map() };
