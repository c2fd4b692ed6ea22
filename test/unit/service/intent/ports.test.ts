import { expect, test } from 'vitest';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

// the apiserver takes any qualified name, also one that every object of JavaScript has
test.each([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
  ['kubernetes.io/h2c', 'TCP'],
  ['example.com/mine', 'TCP'],
  ['toString', 'TCP'],
  ['constructor', 'TCP'],
])('appProtocol %s is %s', (appProtocol, protocol) => {
  const service = aStoredService({ spec: { ports: [{ name: 'http', port: 80, appProtocol }] } });
  expect(readIntent(service, aConfig()).ports).toMatchObject([{ listens: protocol, pools: protocol }]);
});

const OWN = 'levelset.openstack.org/';
const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const TLS = 'TERMINATED_HTTPS';

test.each<[string, Readonly<Record<string, string>>, readonly string[], string?]>([
  ['certificates for all', { 'tls-container-refs': ID }, [TLS, TLS]],
  ['certificates for one', { 'tls-container-refs.443': ID }, ['TCP', TLS]],
  ['a protocol for one goes first', { 'tls-container-refs': ID, 'protocol.http': 'http' }, ['HTTP', TLS]],
  ['one for all does not', { 'tls-container-refs': ID, protocol: 'http' }, [TLS, TLS]],
  ['nor one beside its own', { 'tls-container-refs.443': ID, 'protocol.443': 'http' }, ['TCP', TLS]],
  ['the certificate of cloud.conf', {}, [TLS, TLS], ID],
  ['a protocol goes before it', { protocol: 'tcp' }, ['TCP', 'TCP'], ID],
])('which ports terminate TLS: %s', (_what, asked, listens, defaultTlsContainerRef) => {
  const annotations = Object.fromEntries(Object.entries(asked).map(([name, text]) => [OWN + name, text]));
  const ports = [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ];
  const config = aConfig(undefined, defaultTlsContainerRef ? { defaultTlsContainerRef } : {});
  const { ports: read } = readIntent(aStoredService({ annotations, spec: { ports } }), config);
  expect(read.map((port) => port.listens)).toEqual(listens);
});
