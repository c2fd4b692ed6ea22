import { expect, it } from 'vitest';
import { endpointOf, readCatalog, serviceUrl } from '../../../shared/openstack/catalog.ts';

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
  if (says.startsWith('http')) expect(find()).toBe(says);
  else
    expect(find).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(says) as string,
      }) as Error,
    );
});
