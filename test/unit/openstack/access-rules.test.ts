/** Which rule a refused request lacks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allows } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { missingRule, readAccessRules } from '../../../shared/openstack/catalog.ts';

const ID = '6a1f6a1f-0000-4000-8000-000000000001';
const NAMED = '{"service":"load-balancer","method":"PUT","path":"/v2.0/lbaas/pools/*"}';

test.each([
  ['/v2.0/lbaas/pools/{pool_id}', {}, undefined],
  ['/load-balancer/v2.0/lbaas/pools/*', {}, undefined],
  ['/v2x0/lbaas/pools/*', {}, NAMED],
  ['/volume/v2.0/lbaas/pools/*', {}, NAMED],
  ['**', { method: 'GET' }, NAMED],
  ['**', { service: 'network' }, NAMED],
])(
  'where %s of %j is allowed, the rule that is missing has neither ids nor a query: %s',
  (path, of, missing) => {
    const asked = { service: 'load-balancer', method: 'PUT', path: `/v2.0/lbaas/pools/${ID}?x=1` };
    const url = `https://cloud.example/load-balancer${asked.path}`;
    expect(missingRule([{ ...asked, ...of, path }], asked, url)).toBe(missing);
  },
);

test('an id with a word of the cloud beside it is no part of the rule', () => {
  const call = { service: 'compute', method: 'GET', path: `/v2.1/flavors/3107.${ID}` };
  const told = JSON.stringify({ ...call, path: '/v2.1/flavors/*' });
  expect(missingRule([], call, `http://nova:8774${call.path}`)).toBe(told);
});

test('a token without rules has none, and one that is malformed allows nothing', () => {
  expect(readAccessRules({ application_credential: { id: 'x' } })).toBeUndefined();
  expect(readAccessRules({ application_credential: { access_rules: [null] } })).toEqual([
    { service: '', method: '', path: '' },
  ]);
});

test('a rule is missing exactly where keystonemiddleware, as the sandbox has it, refuses', () => {
  const part = fc.constantFrom('v2', 'lbaas', 'pools', 'a-b');
  const wild = fc.oneof(part, fc.constantFrom('*', '**', '{id}'));
  const rule = fc.array(wild, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  fc.assert(
    fc.property(rule, path, (pattern, path) => {
      const call = { service: 'network', method: 'GET', path };
      const rules = [{ ...call, path: pattern }];
      expect(missingRule(rules, call, `http://neutron:9696${path}`) === undefined).toBe(allows(rules, call));
    }),
  );
});
