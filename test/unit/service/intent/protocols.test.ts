import { expect, test } from 'vitest';
import { protocolsOf } from '../../../../shared/service/intent/protocols.ts';
import { readAnnotations } from '../../../../shared/service/intent/read-annotations.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

function protocolsFor(appProtocol: string): ReturnType<typeof protocolsOf> {
  const service = aStoredService({ spec: { ports: [{ name: 'http', port: 80, appProtocol }] } });
  const [port] = service.spec.ports ?? [];
  const [annotated] = readAnnotations(service, aConfig()).ports;
  if (!port || !annotated) throw new Error('the Service has no port');
  return protocolsOf(port, annotated);
}

// the apiserver takes any qualified name, also one that every object of JavaScript has
test.each([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
  ['kubernetes.io/h2c', 'TCP'],
  ['example.com/mine', 'TCP'],
  ['toString', 'TCP'],
  ['constructor', 'TCP'],
])('appProtocol %s is %s', (appProtocol, protocol) => {
  expect(protocolsFor(appProtocol)).toEqual({ listener: protocol, pool: protocol });
});
