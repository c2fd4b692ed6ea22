import { expect, it } from 'vitest';
import { sameIngress } from '../../../shared/service/report/published-address.ts';

const ip = '203.0.113.9';

// prettier-ignore
it.each([
  ['the same', [{ ip, ipMode: 'VIP' }], [{ ip, ipMode: 'VIP' }], true],
  ['another mode', [{ ip, ipMode: 'Proxy' }], [{ ip, ipMode: 'VIP' }], false],
  ['an apiserver without modes', [{ ip, ipMode: 'VIP' }], [{ ip }], true],
  ['the same, for a proxy', [{ ip, ipMode: 'Proxy' }], [{ ip }], true],
  ['another address there', [{ ip, ipMode: 'VIP' }], [{ ip: '203.0.113.8' }], false],
  ['an address too few there', [{ ip, ipMode: 'VIP' }, { ip: 'fd00::9', ipMode: 'VIP' }], [{ ip }], false],
  ['an address too many there', [{ ip, ipMode: 'VIP' }], [{ ip }, { ip: 'fd00::9' }], false],
  ['a name for an address', [{ hostname: 'a.example' }], [{ ip, ipMode: 'VIP' }], false],
  ['ports that another controller wrote', [{ ip }], [{ ip, ports: [{ port: 443, protocol: 'TCP' }] }], false],
  ['an empty list of ports', [{ ip }], [{ ip, ports: [] }], true],
  ['the same name', [{ hostname: 'a.example' }], [{ hostname: 'a.example' }], true],
])('%s', (_what, desired, published, same) => {
  expect(sameIngress(desired, published)).toBe(same);
});
