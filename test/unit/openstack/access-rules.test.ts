/** Which rule a refused request lacks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allows } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { missingRule, readAccessRules } from '../../../shared/openstack/identity/access-rules.ts';

const ID = '6a1f6a1f-0000-4000-8000-000000000001';
const asked = { service: 'load-balancer', method: 'PUT', path: `/v2.0/lbaas/pools/${ID}?x=1` };
const at = (base: string): string => base + asked.path;
const missing = (path: string, base = 'http://octavia:9876', method = 'PUT'): string | undefined =>
  missingRule([{ service: 'load-balancer', method, path }], asked, at(base));
const NAMED = '{"service":"load-balancer","method":"PUT","path":"/v2.0/lbaas/pools/*"}';

test.each([
  ['/v2.0/lbaas/pools/*'],
  ['/v2.0/lbaas/pools/{pool_id}'],
  ['/v2.0/lbaas/**'],
  ['**'],
  [`/v2.0/lbaas/pools/${ID}`],
])('%s allows the request', (path) => {
  expect(missing(path)).toBeUndefined();
});

test.each([
  ['/v2.0/lbaas/pools'],
  ['/v2.0/lbaas/*'],
  ['/v2.0/lbaas/pools/*/members'],
  ['/v2x0/lbaas/pools/*'],
])('%s does not, and the rule that does is named without ids and query', (path) => {
  expect(missing(path)).toBe(NAMED);
});

test('an id with a word of the cloud beside it is no part of the rule', () => {
  const call = { service: 'compute', method: 'GET', path: `/v2.1/flavors/3107.${ID}` };
  const told = JSON.stringify({ ...call, path: '/v2.1/flavors/*' });
  expect(missingRule([], call, `http://nova:8774${call.path}`)).toBe(told);
});

test('the method and the service count', () => {
  expect(missing('/v2.0/lbaas/pools/*', undefined, 'GET')).toBe(NAMED);
  const other = [{ service: 'network', method: 'PUT', path: '**' }];
  expect(missingRule(other, asked, at('http://octavia:9876'))).toBe(NAMED);
});

test('a rule counts with and without what the endpoint has before the version', () => {
  const base = 'https://cloud.example/load-balancer';
  expect(missing('/load-balancer/v2.0/lbaas/pools/*', base)).toBeUndefined();
  expect(missing('/v2.0/lbaas/pools/*', base)).toBeUndefined();
  expect(missing('/volume/v2.0/lbaas/pools/*', base)).toBe(NAMED);
});

test('a token without rules has none, and one that is malformed allows nothing', () => {
  expect(readAccessRules({})).toBeUndefined();
  expect(readAccessRules({ application_credential: { id: 'x' } })).toBeUndefined();
  expect(readAccessRules({ application_credential: { access_rules: [null] } })).toEqual([
    { service: '', method: '', path: '' },
  ]);
});

test('it is missing exactly where keystonemiddleware, as the sandbox has it, refuses', () => {
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
