import { describe, expect, test } from 'vitest';
import { checkOf, desirePersistence } from '../../../../shared/service/desired/desire-pool.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OWN = 'levelset.openstack.org/';

function asked(annotations: Record<string, string>, protocol = 'TCP') {
  const ports = [{ port: 80, protocol }];
  const service = aStoredService({ annotations, spec: { sessionAffinity: 'ClientIP', ports } });
  const [port] = readIntent(service, aConfig()).ports;
  if (!port) throw new Error('the Service has no port');
  return { service, port };
}

describe('a cookie', () => {
  test.each([
    ['http', 'TCP', 'HTTP_COOKIE', 0],
    ['tcp', 'TCP', 'SOURCE_IP', 1],
    ['https', 'TCP', 'SOURCE_IP', 1],
    ['http', 'UDP', 'SOURCE_IP', 1],
    ['http', 'SCTP', 'SOURCE_IP', 1],
  ] as const)('on a port that speaks %s over %s is %s', (speaks, transport, type, said) => {
    const cookie = { [`${OWN}session-persistence`]: 'HTTP_COOKIE', [`${OWN}protocol`]: speaks };
    const { service, port } = asked(cookie, transport);
    const { attributes, problems } = desirePersistence(port, service);
    expect(attributes).toEqual({ session_persistence: { type } });
    expect(problems.map(({ field }) => field)).toEqual(
      Array.from({ length: said }, () => `${OWN}session-persistence`),
    );
  });
});

describe('the host that a check asks for', () => {
  const HOST = { [`${OWN}monitor-type`]: 'HTTP', [`${OWN}monitor-domain-name`]: 'app.example.org' };

  test.each([
    [{}, 0],
    [{ [`${OWN}monitor-http-version`]: '1.1' }, 0],
    [{ [`${OWN}monitor-http-version`]: '1.0' }, 1],
  ])('with %o is asked for by HTTP 1.1', (version, said) => {
    const { port } = asked({ ...HOST, ...version });
    const { attributes, problems } = checkOf(port);
    expect(attributes).toMatchObject({ domain_name: 'app.example.org', http_version: 1.1 });
    expect(problems).toHaveLength(said);
  });
});
