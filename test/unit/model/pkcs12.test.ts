import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { toPkcs12 } from '../../../shared/model/tls/pkcs12.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { aTlsSecret, certificateOf, keyOfPair } from '../../support/tls-secret.ts';

const pairOf = (secret: ReturnType<typeof aTlsSecret>) => {
  const read = readTlsSecret(secret);
  if (!('pair' in read)) throw new Error(read.because);
  return read;
};

/** OpenSSL reads it, as Octavia does. */
function opened(file: Buffer): string {
  const { stdout, stderr } = spawnSync('openssl', ['pkcs12', '-nodes', '-passin', 'pass:'], { input: file });
  return `${stdout.toString()}${stderr.toString()}`;
}

describe('a PKCS #12 file', () => {
  test.each(['one', 'rsa'] as const)('of %s has its certificate and its key', (pair) => {
    const text = opened(toPkcs12(pairOf(aTlsSecret(pair)).pair));
    expect(text).toContain(`CN = ${pair}.example.org`);
    expect(text).toContain(certificateOf(pair).trim());
    expect(text).toContain('BEGIN PRIVATE KEY');
    expect(text).not.toMatch(/mac verify|error/i);
  });

  test('has the chain as well, and is the same for the same pair', () => {
    const secret = aTlsSecret('one', { crt: certificateOf('one') + certificateOf('rsa') });
    const file = toPkcs12(pairOf(secret).pair);
    expect(opened(file)).toContain('CN = rsa.example.org');
    expect(toPkcs12(pairOf(secret).pair)).toEqual(file);
  });
});

describe('the fingerprint of a Secret', () => {
  const fingerprint = (secret: ReturnType<typeof aTlsSecret>): string => pairOf(secret).fingerprint;

  test('is another one when certificate, chain or key are', () => {
    const longer = aTlsSecret('one', { crt: certificateOf('one') + certificateOf('two') });
    const all = [aTlsSecret('one'), aTlsSecret('two'), longer].map(fingerprint);
    expect(new Set(all).size).toBe(3);
    expect(all[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  test('says nothing of how the PEM is written', () => {
    const padded = aTlsSecret('one', {
      crt: `# a comment\r\n${certificateOf('one')}\n\n`,
      key: `${keyOfPair('one')}\n`,
    });
    expect(fingerprint(padded)).toBe(fingerprint(aTlsSecret('one')));
  });
});

test.each([
  [aTlsSecret('one', { crt: certificateOf('one').replace(/MII.{12}/, 'AAAA') }), 'cannot be read'],
  [aTlsSecret('one', { key: 'no key' }), 'no private key'],
])('what is no pair is told without what it says', (secret, why) => {
  expect(readTlsSecret(secret)).toEqual({ because: expect.stringContaining(why) as string });
});
