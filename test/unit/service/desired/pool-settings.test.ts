import { describe, expect, test } from 'vitest';
import { desireMonitor } from '../../../../shared/service/desired/desire-monitor.ts';
import { readAnnotations } from '../../../../shared/service/intent/read-annotations.ts';
import { desirePersistence } from '../../../../shared/service/desired/desire-port.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OWN = 'levelset.openstack.org/';

function asked(annotations: Record<string, string>) {
  const service = aStoredService({ annotations, spec: { sessionAffinity: 'ClientIP' } });
  const [port] = readAnnotations(service, aConfig()).ports;
  if (!port) throw new Error('the Service has no port');
  return { service, port };
}

describe('a cookie', () => {
  const { service, port } = asked({ [`${OWN}session-persistence`]: 'HTTP_COOKIE' });

  test.each([
    ['HTTP', 'HTTP_COOKIE', 0],
    ['TERMINATED_HTTPS', 'HTTP_COOKIE', 0],
    ['TCP', 'SOURCE_IP', 1],
    ['HTTPS', 'SOURCE_IP', 1],
    ['UDP', 'SOURCE_IP', 1],
    ['SCTP', 'SOURCE_IP', 1],
  ] as const)('on a port that speaks %s is %s', (listener, type, said) => {
    const { attributes, problems } = desirePersistence(listener, 'tcp/80', service, port);
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
    const { resources, problems } = desireMonitor('TCP', 'tcp/80', 'm', port, undefined);
    expect(resources[0]?.attributes).toMatchObject({ domain_name: 'app.example.org', http_version: 1.1 });
    expect(problems).toHaveLength(said);
  });
});
