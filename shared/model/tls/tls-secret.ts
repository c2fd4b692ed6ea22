import { createHash, createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { notAfterOf } from './certificate-facts.ts';
import type { Secret } from '../kubernetes.ts';
import { type KeyPair } from './pkcs12.ts';

/** What messages and plans may say about a Secret, or why the Secret cannot be used. */
export type TlsSecretFacts =
  | {
      readonly fingerprint: string;
      readonly notAfter: string;
    }
  | { readonly because: string };

type Read =
  | { readonly pair: KeyPair; readonly fingerprint: string; readonly notAfter: string }
  | { readonly because: string };

const TYPE = 'kubernetes.io/tls';

/** The certificate, chain and key in a Secret, or why they cannot be used. */
export function readTlsSecret(secret: Secret): Read {
  if (secret.type !== TYPE) return { because: `is not of type ${TYPE}` };
  const certificates = certificatesIn(textAt(secret, 'tls.crt'));
  if (typeof certificates === 'string') return { because: certificates };
  const key = keyIn(textAt(secret, 'tls.key'));
  if (!key) return { because: 'has no private key in tls.key that can be read' };
  const [first, ...others] = certificates;
  if (!first?.checkPrivateKey(key)) return { because: 'has a key that does not belong to its certificate' };
  const pair = {
    certificate: first.raw,
    chain: others.map(({ raw }) => raw),
    key: key.export({ type: 'pkcs8', format: 'der' }),
  };
  return { pair, fingerprint: fingerprintOf(pair), notAfter: notAfterOf(first) };
}

function fingerprintOf({ certificate, chain, key }: KeyPair): string {
  const hash = createHash('sha256');
  for (const part of [certificate, ...chain, key]) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('hex').slice(0, 16);
}

/** A chain has three or four. */
const MOST_CERTIFICATES = 50;
const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesIn(text: string): readonly X509Certificate[] | string {
  const blocks = text.match(PEM) ?? [];
  if (blocks.length === 0) return 'has no certificate in tls.crt';
  if (blocks.length > MOST_CERTIFICATES) return `has more than ${MOST_CERTIFICATES} certificates in tls.crt`;
  const certificates: X509Certificate[] = [];
  for (const block of blocks) {
    const certificate = certificateIn(block);
    if (!certificate) return 'has a certificate in tls.crt that cannot be read';
    certificates.push(certificate);
  }
  return certificates;
}

function certificateIn(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

function keyIn(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function textAt({ data }: Secret, name: string): string {
  return Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
}
