import { expect, test } from 'vitest';
import { isClusterName, scopeOf, widen } from '../../../shared/model/request.ts';

test('the name of a cluster is a label of DNS', () => {
  expect(['a', 'prod-a', '9', 'a'.repeat(63)].filter((name) => !isClusterName(name))).toEqual([]);
  const others = ['', '-a', 'a-', 'A', 'a.b', 'a:b', 'a/b', 'a b', 'a\n', 'a'.repeat(64)];
  expect(others.filter(isClusterName)).toEqual([]);
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
