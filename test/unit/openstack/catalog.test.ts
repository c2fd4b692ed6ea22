import { describe, expect, it } from 'vitest';
import { readCatalog, serviceUrl } from '../../../shared/openstack/identity/catalog.ts';

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

describe('serviceUrl', () => {
  it.each([
    ['load-balancer', 'public', 'one', 'https://lb.one'],
    ['load-balancer', 'internal', 'one', 'http://10.0.0.1:9876'],
    ['load-balancer', 'internal', undefined, 'http://10.0.0.1:9876'],
    ['load-balancer', 'public', 'two', 'https://two/load-balancer'],
    ['network', 'public', 'one', 'https://net.one:9696'],
  ] as const)('of %s, %s, %s', (service, endpoint, region, url) => {
    expect(serviceUrl(catalog, service, { interface: endpoint, ...(region ? { region } : {}) })).toBe(url);
  });

  it.each([
    ['load-balancer', 'admin', 'one', 'it is there in one (internal), one (public), two (public)'],
    ['network', 'public', 'two', 'in the region "two"; it is there in one (public)'],
    ['key-manager', 'public', 'one', 'the catalog has load-balancer, network'],
    ['load-balancer', 'public', undefined, 'several regions'],
  ] as const)('of %s, %s, %s says what there is', (service, endpoint, region, says) => {
    const find = (): string =>
      serviceUrl(catalog, service, { interface: endpoint, ...(region ? { region } : {}) });
    expect(find).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(find).toThrow(says);
  });
});
