import { expect, test } from 'vitest';
import { attributeRule, equalAttribute } from '../../../shared/model/attributes.ts';
import { parseTlsReference } from '../../../shared/model/tls/certificate-facts.ts';

const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

// prettier-ignore
const NONE = [
  '', 'web', `../secrets/${ID}`, `${ID}/../../`, `https://evil.example/v1/orders/${ID}`, `https://evil.example/v1/secrets/${ID}/payload`,
  `https://evil.example/v1/secrets/${ID}?x=1`, `https://evil.example/v1/secrets/../${ID}/x`, `file:///v1/secrets/${ID}`,
  `https://evil.example/v1/secrets/${ID}\nx`,
];

test.each<[string, object?]>([
  [ID, { id: ID }],
  [ID.toUpperCase(), { id: ID }],
  [`https://barbican.example/v1/secrets/${ID}`, { id: ID, collection: 'secrets' }],
  [`http://10.0.0.1:9311/key-manager/v1/containers/${ID}/`, { id: ID, collection: 'containers' }],
  ...NONE.map((text): [string] => [text]),
])('the reference %j is read as %j', (text, expected) => {
  expect(parseTlsReference(text)).toEqual(expected);
});

const OTHER = ID.replace('5d', '5e');
const DEFAULT = 'default_tls_container_ref';
const SNI = 'sni_container_refs';

// prettier-ignore
test.each([
  ['by the id in them, whatever host they name', DEFAULT, `http://a:9311/v1/secrets/${ID}`, `https://b/v1/containers/${ID}`, true],
  ['by the id alone', DEFAULT, `http://a:9311/v1/secrets/${ID}`, ID.replaceAll('-', ''), true],
  ['not by another id', DEFAULT, `http://a:9311/v1/secrets/${ID}`, `http://a:9311/v1/secrets/${OTHER}`, false],
  ['of another store as they are', DEFAULT, 'vault:web', 'vault:web', true],
  ['of another store not otherwise', DEFAULT, 'vault:web', 'vault:www', false],
  ['not with none', DEFAULT, 'vault:web', null, false],
  ['for SNI as a set', SNI, [ID, OTHER], [`http://a/v1/secrets/${OTHER}`, ID], true],
  ['for SNI where there is none', SNI, [], null, true],
  ['for SNI not as a part', SNI, [ID], [ID, OTHER], false],
])('two names of a certificate are one %s', (_, attribute, one, other, isSame) => {
  expect(equalAttribute(attributeRule('listener', attribute), one, other)).toBe(isSame);
});
