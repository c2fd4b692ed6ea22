import { describe, expect, test } from 'vitest';
import type { LoadBalancerConfig } from '../../../../shared/config/config.ts';
import { desireIngress } from '../../../../shared/service/report/published-address.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const PROXY = { 'loadbalancer.openstack.org/proxy-protocol': 'true' };
const NAMED = { enableIngressHostname: true };

function publish(
  annotations: Readonly<Record<string, string>>,
  general: Partial<LoadBalancerConfig> = {},
  address = '192.0.2.7',
  protocol = 'TCP',
) {
  const service = aStoredService({ annotations, spec: { ports: [{ port: 80, protocol }] } });
  return desireIngress(readIntent(service, aConfig(undefined, general)), [address]);
}

describe('the address is published', () => {
  test.each([
    ['as it is', {}, {}, { ip: '192.0.2.7', ipMode: 'VIP' }],
    ['also with names switched on', {}, NAMED, { ip: '192.0.2.7', ipMode: 'VIP' }],
    ['for a proxy', PROXY, {}, { ip: '192.0.2.7', ipMode: 'Proxy' }],
    ['as a name, for a proxy', PROXY, NAMED, { hostname: '192.0.2.7.nip.io' }],
    ['below the suffix', PROXY, { ...NAMED, ingressHostnameSuffix: 'a.b' }, { hostname: '192.0.2.7.a.b' }],
    [
      'as the name that the Service asks for',
      { ...PROXY, 'loadbalancer.openstack.org/hostname': 'app.example.org' },
      NAMED,
      { hostname: 'app.example.org' },
    ],
  ])('%s', (_, annotations, general, ingress) => {
    expect(publish(annotations, general)).toEqual([ingress]);
  });

  test('not at all while there is none', () => {
    expect(desireIngress({ publication: { proxied: true } }, [])).toEqual([]);
  });

  test('as a VIP where no port speaks the PROXY protocol', () => {
    expect(publish(PROXY, NAMED, '192.0.2.7', 'UDP')).toEqual([{ ip: '192.0.2.7', ipMode: 'VIP' }]);
  });

  test.each([
    ['fd00::5', 'fd00--5.nip.io'],
    ['::1', '0--1.nip.io'],
    ['fd00::', 'fd00--0.nip.io'],
  ])('%s as the name %s', (address, hostname) => {
    expect(publish(PROXY, NAMED, address)).toEqual([{ hostname }]);
  });
});
