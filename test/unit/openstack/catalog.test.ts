import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { allows } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import {
  endpointOf,
  missingRule,
  readAccessRules,
  readCatalog,
  serviceUrl,
} from '../../../shared/openstack/catalog.ts';

const projectId = 'b80f94f5e8a8495ba3d94c191e8b17f2';
const PUBLIC = { interface: 'public' } as const;
const NOVA = 'https://cloud.example/compute';
const novaAt = (url: string) => ({
  catalog: readCatalog([{ type: 'compute', endpoints: [{ interface: 'public', region: 'one', url }] }]),
  projectId,
});

it.each([
  [NOVA, `${NOVA}/v2.1/servers`],
  [`${NOVA}/v2.1/ `, `${NOVA}/v2.1/servers`],
  [`${NOVA}/v2.1/${projectId}`, `${NOVA}/v2.1/${projectId}/servers`],
  [`${NOVA}/v2.1//${projectId}//`, `${NOVA}/v2.1//${projectId}/servers`],
  [`https://gate/v1/compute/v2/${projectId}`, `https://gate/v1/compute/v2/${projectId}/servers`],
  ['https://gate/v1/compute', 'https://gate/v1/compute/v2.1/servers'],
  [`https://nova.example/${projectId}`, `https://nova.example/${projectId}/v2.1/servers`],
])('Nova at %j has its paths there', (url, at) => {
  expect(serviceUrl(novaAt(url), 'compute', PUBLIC, '/v2.1/servers')).toBe(at);
});

it('Nova with the project in its URL is called without, where access rules say which paths may be called', () => {
  const token = { ...novaAt(`${NOVA}/v2.1/${projectId}`), accessRules: [] };
  expect(serviceUrl(token, 'compute', PUBLIC, '/v2.1/servers')).toBe(`${NOVA}/v2.1/servers`);
  expect(serviceUrl(token, 'compute', PUBLIC)).toBe(NOVA);
});

it.each([
  ['its id', { region_id: 'r7', region: 'Dresden' }, 'r7'],
  ['its name', { region_id: 'r7', region: 'Dresden' }, 'Dresden'],
  ['the name beside an empty id', { region_id: '', region: 'Dresden' }, 'Dresden'],
  ['the id beside no name', { region_id: 'r7', region: null }, 'r7'],
])('an endpoint is that of a region by %s, and the region is called so', (_by, endpoint, region) => {
  const endpoints = [
    { interface: 'public', region_id: 'r8', region: 'Leipzig', url: 'https://leipzig' },
    { interface: 'public', url: NOVA, ...endpoint },
  ];
  const catalog = readCatalog([{ type: 'compute', endpoints }]);
  expect(endpointOf(catalog, 'compute', { ...PUBLIC, region })).toMatchObject({ url: NOVA, region });
});

it.each([
  ['load-balancer', 'internal', undefined, 'http://10.0.0.1:9876'],
  ['load-balancer', 'public', 'two', 'https://two/load-balancer'],
  ['network', 'public', 'one', 'https://net.one:9696'],
  ['load-balancer', 'admin', 'one', 'it is there in one (internal), one (public), two (public)'],
  ['network', 'public', 'two', 'in the region "two"; it is there in one (public)'],
  ['key-manager', 'public', 'one', 'the catalog has load-balancer, network'],
  ['load-balancer', 'public', undefined, 'several regions'],
] as const)('the URL of %s, %s, %s, or what there is instead: %s', (service, endpoint, region, says) => {
  const catalog = readCatalog([
    {
      type: 'load-balancer',
      endpoints: [
        { interface: 'public', region_id: 'one', url: 'https://lb.one/' },
        { interface: 'internal', region_id: 'one', url: 'http://10.0.0.1:9876/v2.0' },
        { interface: 'public', region_id: 'two', url: 'https://two/load-balancer/v2' },
      ],
    },
    { type: 'network', endpoints: [{ ...PUBLIC, region: 'one', url: 'https://net.one:9696/v2.0/' }] },
    { type: 'compute', endpoints: 'broken' },
  ]);
  const config = { interface: endpoint, ...(region ? { region } : {}) };
  const find = (): string => serviceUrl({ catalog, projectId }, service, config);
  const message = expect.stringContaining(says) as string;
  if (says.startsWith('http')) expect(find()).toBe(says);
  else expect(find).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }) as Error);
});

const ID = '6a1f6a1f-0000-4000-8000-000000000001';
const NAMED = '{"service":"load-balancer","method":"PUT","path":"/v2.0/lbaas/pools/*"}';

test.each([
  ['/v2.0/lbaas/pools/{pool_id}', {}, undefined],
  ['/load-balancer/v2.0/lbaas/pools/*', {}, undefined],
  ['/v2x0/lbaas/pools/*', {}, NAMED],
  ['/volume/v2.0/lbaas/pools/*', {}, NAMED],
  ['**', { method: 'GET' }, NAMED],
  ['**', { service: 'network' }, NAMED],
])('where %s of %j is allowed, the missing rule has neither ids nor a query: %s', (path, of, missing) => {
  const asked = { service: 'load-balancer', method: 'PUT', path: `/v2.0/lbaas/pools/${ID}?x=1` };
  const url = `https://cloud.example/load-balancer${asked.path}`;
  expect(missingRule([{ ...asked, ...of, path }], asked, url)).toBe(missing);
});

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
