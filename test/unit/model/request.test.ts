import { expect, test } from 'vitest';
import { scopeOf, widen } from '../../../shared/model/request.ts';

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
