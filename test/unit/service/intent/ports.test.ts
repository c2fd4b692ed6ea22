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
