import { describe, expect, test } from 'vitest';
import { attributeRule } from '../../../shared/model/attributes.ts';
import { equalAttribute } from '../../../shared/model/equality.ts';
import { parseTlsReference } from '../../../shared/model/tls/certificate-facts.ts';

const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

describe('a reference', () => {
  test.each([
    [ID, { id: ID }],
    [ID.toUpperCase(), { id: ID }],
    [`https://barbican.example/v1/secrets/${ID}`, { id: ID, collection: 'secrets' }],
    [`http://10.0.0.1:9311/key-manager/v1/containers/${ID}/`, { id: ID, collection: 'containers' }],
  ])('%s is read', (text, expected) => {
    expect(parseTlsReference(text)).toEqual(expected);
  });

  // prettier-ignore
  test.each([
    '', 'web', `../secrets/${ID}`, `${ID}/../../`, `https://evil.example/v1/orders/${ID}`, `https://evil.example/v1/secrets/${ID}/payload`,
    `https://evil.example/v1/secrets/${ID}?x=1`, `https://evil.example/v1/secrets/../${ID}/x`, `file:///v1/secrets/${ID}`,
    `https://evil.example/v1/secrets/${ID}\nx`,
  ])('%j is none', (text) => {
    expect(parseTlsReference(text)).toBeUndefined();
  });
});

describe('two names of a certificate', () => {
  const equal = (attribute: string, a: unknown, b: unknown): boolean =>
    equalAttribute(attributeRule('listener', attribute), a, b);

  test('are one by the id in them, whatever host they name', () => {
    const [one, other] = [`http://a:9311/v1/secrets/${ID}`, `https://b/v1/containers/${ID}`];
    expect(equal('default_tls_container_ref', one, other)).toBe(true);
    expect(equal('default_tls_container_ref', one, ID.replaceAll('-', ''))).toBe(true);
    expect(equal('default_tls_container_ref', one, one.replace('5d', '5e'))).toBe(false);
  });

  test('of another store are one as they are', () => {
    expect(equal('default_tls_container_ref', 'vault:web', 'vault:web')).toBe(true);
    expect(equal('default_tls_container_ref', 'vault:web', 'vault:www')).toBe(false);
    expect(equal('default_tls_container_ref', 'vault:web', null)).toBe(false);
  });

  test('for SNI are a set, and none of them is the same as nothing', () => {
    const other = ID.replace('5d', '5e');
    expect(equal('sni_container_refs', [ID, other], [`http://a/v1/secrets/${other}`, ID])).toBe(true);
    expect(equal('sni_container_refs', [], null)).toBe(true);
    expect(equal('sni_container_refs', [ID], [ID, other])).toBe(false);
  });
});
