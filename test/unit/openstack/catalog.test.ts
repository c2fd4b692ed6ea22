import { describe, expect, it } from 'vitest';
import { endpointOf, readCatalog, serviceUrl } from '../../../shared/openstack/identity/catalog.ts';

const catalog = readCatalog([
  {
    type: 'load-balancer',
    endpoints: [
      { interface: 'public', region_id: 'one', url: 'https://lb.one/' },
      { interface: 'internal', region_id: 'one', url: 'http://10.0.0.1:9876/v2.0' },
      { interface: 'public', region_id: 'two', url: 'https://two/load-balancer/v2' },
    ],
  },
  { type: 'network', endpoints: [{ interface: 'public', region: 'one', url: 'https://net.one:9696/v2.0/' }] },
  { type: 'compute', endpoints: 'broken' },
]);
const projectId = 'b80f94f5e8a8495ba3d94c191e8b17f2';

describe('serviceUrl', () => {
  const novaAt = (url: string) => ({
    catalog: readCatalog([{ type: 'compute', endpoints: [{ interface: 'public', region: 'one', url }] }]),
    projectId,
  });
  const NOVA = 'https://cloud.example/compute';

  it.each([
    [NOVA, `${NOVA}/v2.1/servers`],
    [`${NOVA}/v2.1`, `${NOVA}/v2.1/servers`],
    [`${NOVA}/v2.1/ `, `${NOVA}/v2.1/servers`],
    [`${NOVA}/v2.1/${projectId}`, `${NOVA}/v2.1/${projectId}/servers`],
    [`${NOVA}/v2/${projectId}/`, `${NOVA}/v2/${projectId}/servers`],
    [`${NOVA}/v2.1//${projectId}//`, `${NOVA}/v2.1//${projectId}/servers`],
    [`https://gate/v1/compute/v2/${projectId}`, `https://gate/v1/compute/v2/${projectId}/servers`],
    ['https://gate/v1/compute', 'https://gate/v1/compute/v2.1/servers'],
    [`https://nova.example/${projectId}`, `https://nova.example/${projectId}/v2.1/servers`],
  ])('of Nova at %j has its paths there', (url, at) => {
    expect(serviceUrl(novaAt(url), 'compute', { interface: 'public' }, '/v2.1/servers')).toBe(at);
  });

  it('of Nova with the project in it is without, where access rules say which paths may be called', () => {
    const token = { ...novaAt(`${NOVA}/v2.1/${projectId}`), accessRules: [] };
    expect(serviceUrl(token, 'compute', { interface: 'public' }, '/v2.1/servers')).toBe(
      `${NOVA}/v2.1/servers`,
    );
    expect(serviceUrl(token, 'compute', { interface: 'public' })).toBe(NOVA);
  });

  it.each([
    ['its id', { region_id: 'r7', region: 'Dresden' }, 'r7'],
    ['its name', { region_id: 'r7', region: 'Dresden' }, 'Dresden'],
    ['the name alone', { region: 'Dresden' }, 'Dresden'],
    ['the name beside an empty id', { region_id: '', region: 'Dresden' }, 'Dresden'],
    ['the id beside no name', { region_id: 'r7', region: null }, 'r7'],
  ])('is that of a region by %s, and the region is called so', (_by, endpoint, region) => {
    const endpoints = [
      { interface: 'public', region_id: 'r8', region: 'Leipzig', url: 'https://leipzig' },
      { interface: 'public', url: NOVA, ...endpoint },
    ];
    const found = endpointOf(readCatalog([{ type: 'compute', endpoints }]), 'compute', {
      interface: 'public',
      region,
    });
    expect(found).toMatchObject({ url: NOVA, region });
  });

  it.each([
    ['load-balancer', 'public', 'one', 'https://lb.one'],
    ['load-balancer', 'internal', 'one', 'http://10.0.0.1:9876'],
    ['load-balancer', 'internal', undefined, 'http://10.0.0.1:9876'],
    ['load-balancer', 'public', 'two', 'https://two/load-balancer'],
    ['network', 'public', 'one', 'https://net.one:9696'],
  ] as const)('of %s, %s, %s', (service, endpoint, region, url) => {
    expect(
      serviceUrl({ catalog, projectId }, service, { interface: endpoint, ...(region ? { region } : {}) }),
    ).toBe(url);
  });

  it.each([
    ['load-balancer', 'admin', 'one', 'it is there in one (internal), one (public), two (public)'],
    ['network', 'public', 'two', 'in the region "two"; it is there in one (public)'],
    ['key-manager', 'public', 'one', 'the catalog has load-balancer, network'],
    ['load-balancer', 'public', undefined, 'several regions'],
  ] as const)('of %s, %s, %s says what there is', (service, endpoint, region, says) => {
    const find = (): string =>
      serviceUrl({ catalog, projectId }, service, { interface: endpoint, ...(region ? { region } : {}) });
    expect(find).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(find).toThrow(says);
  });
});
