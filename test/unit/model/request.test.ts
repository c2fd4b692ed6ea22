import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isClusterName, parseKey, queueKeyOf, scopeOf, widen } from '../../../shared/model/request.ts';

test('the name of a cluster is a label of DNS', () => {
  expect(['a', 'prod-a', '9', 'a'.repeat(63)].filter((name) => !isClusterName(name))).toEqual([]);
  const others = ['', '-a', 'a-', 'A', 'a.b', 'a:b', 'a/b', 'a b', 'a\n', 'a'.repeat(64)];
  expect(others.filter(isClusterName)).toEqual([]);
});

test('queues tell clusters apart, and keys, and one without a name is its key', () => {
  const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,3}[a-z0-9])?$/);
  const keys = fc
    .oneof(
      fc.constantFrom('all', 'routes', 'nodeset'),
      fc.tuple(part, part).map(([namespace, name]) => `service/${namespace}/${name}`),
      part.map((name) => `node/${name}`),
    )
    .map((text) => parseKey(text) ?? 'all');
  const requests = fc.record({ key: keys, cluster: part }, { requiredKeys: ['key'] });
  fc.assert(
    fc.property(requests, requests, (one, other) => {
      const isSame = one.key === other.key && one.cluster === other.cluster;
      expect(queueKeyOf(one) === queueKeyOf(other)).toBe(isSame);
      if (one.cluster === undefined) expect(queueKeyOf(one)).toBe(one.key);
    }),
  );
});

test.each([
  ['all', {}],
  ['nodeset', { servicesOnly: true }],
  ['namespace/web', { namespace: 'web' }],
] as const)('a sweep for %s looks at %j', (key, scope) => {
  expect(scopeOf(key)).toEqual(scope);
});

const WEB = { namespace: 'web' };
const SERVICES = { servicesOnly: true } as const;
test.each([
  [WEB, WEB, WEB],
  [WEB, { namespace: 'shop' }, SERVICES],
  [WEB, SERVICES, SERVICES],
  [SERVICES, SERVICES, SERVICES],
  [WEB, {}, {}],
  [SERVICES, {}, {}],
])('%j and %j together are %j', (one, other, both) => {
  expect(widen(one, other)).toEqual(both);
  expect(widen(other, one)).toEqual(both);
});
