import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { asPkcs12, certificateOf, keyOfPair } from '../../support/tls-secret.ts';
import type { CloudSession } from '../cloud-session.ts';
import { textAt } from '../json-path.ts';

/** A certificate that signed itself, and its key; Barbican keeps no blank at an end. */
export const certificate = certificateOf('one').trim();
const privateKey = keyOfPair('one').trim();

const PAIR = ['-in', 'one.crt', '-inkey', 'one.key'];
/** Both as PKCS12 with the pass phrase `x`, in base64. */
const locked = (): string =>
  execFileSync('openssl', ['pkcs12', '-export', ...PAIR, '-passout', 'pass:x'], {
    cwd: join(import.meta.dirname, '../../support/certificates'),
  }).toString('base64');

/** Stores a secret or a container for the length of a case and gives its reference. */
async function stored(cloud: CloudSession, kind: 'secret' | 'container', body: object): Promise<string> {
  const reply = await cloud.barbican('POST', `${kind}s`, { name: 'conformance', ...body });
  const ref = textAt(reply.body, `${kind}_ref`);
  cloud.leave('key-manager', ref.slice(ref.indexOf('/v1/')));
  return ref;
}

const plain = (cloud: CloudSession, payload: string, secret_type: string): Promise<string> =>
  stored(cloud, 'secret', { secret_type, payload, payload_content_type: 'text/plain' });

const pkcs12 = (cloud: CloudSession, more: object = {}): Promise<string> =>
  stored(cloud, 'secret', { secret_type: 'opaque', ...asPkcs12('one'), ...more });

export function container(cloud: CloudSession, refs: object, type = 'certificate'): Promise<string> {
  const parts = Object.entries(refs) as [string, unknown][];
  const secret_refs = parts.map(([name, secret_ref]) => ({ name, secret_ref }));
  return stored(cloud, 'container', { type, secret_refs });
}

export const certificateSecret = (cloud: CloudSession) => plain(cloud, certificate, 'certificate');
export const keySecret = (cloud: CloudSession): Promise<string> => plain(cloud, privateKey, 'private');
/** A key that belongs to no certificate here. */
export const otherKeySecret = (cloud: CloudSession) => plain(cloud, keyOfPair('two'), 'private');
export const bundleSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud);
export const lockedSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud, { payload: locked() });

/** The reference of a secret that is not there, at the same place. */
export const missing = (ref: string): string => ref.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000001');
