import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import { evaluate } from '../../../../shared/service/evaluate.ts';
import type { LoadBalancerConfig } from '../../../../shared/config/config.ts';
import type { Problem } from '../../../../shared/model/plan.ts';
import { unitOf } from '../../../../shared/service/unit.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { CERTIFICATE, OTHER_CERTIFICATE } from '../../../support/cloud-contents.ts';
import { aConfig } from '../../../support/config.ts';
import { podsOf } from '../../../support/service-pods.ts';
import { secretsOf } from '../../../support/tls-secret.ts';
import { aStoredService } from '../../../support/service.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const PORTS = [
  { name: 'http', port: 80 },
  { name: 'https', port: 443 },
];
const NODES = [
  {
    metadata: { name: 'node-1', uid: 'n1', resourceVersion: '1' },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
  },
];

class Older extends SimulatedCloud {
  override octaviaVersion(): Promise<{ readonly major: number; readonly minor: number }> {
    return Promise.resolve({ major: 2, minor: 16 });
  }
}

async function desired(
  annotations: Record<string, string>,
  {
    config = {},
    cloud = new SimulatedCloud(),
  }: { config?: Partial<LoadBalancerConfig>; cloud?: SimulatedCloud } = {},
): Promise<{
  readonly listeners: readonly string[];
  readonly settings: readonly object[];
  readonly problems: readonly Problem[];
}> {
  const service = aStoredService({ annotations, spec: { ports: PORTS } });
  const name = { namespace: 'default', name: 'web' };
  const all = aConfig(undefined, config);
  const kube = { ...podsOf(service, { nodes: [] }), ...secretsOf({}) };
  const world = { kube, cloud, clock: { now: () => 0 }, config: all, memory: newMemory() };
  const unit = unitOf('service/default/web', name, service, all);
  const { desired: found } = await evaluate(unit, NODES, world, { id: 'c', name: 'kubernetes' });
  return {
    listeners: found.resources.flatMap(({ kind, attributes }) =>
      kind === 'listener' ? [String((attributes as { protocol?: string }).protocol)] : [],
    ),
    settings: found.resources.flatMap(({ kind, attributes }) => (kind === 'listener' ? [attributes] : [])),
    problems: found.problems,
  };
}

describe('which ports terminate TLS', () => {
  test.each([
    [
      'all, by certificates for all',
      { [`${OCCM}default-tls-container-ref`]: CERTIFICATE },
      ['TERMINATED_HTTPS', 'TERMINATED_HTTPS'],
    ],
    [
      'one, by certificates for one',
      { [`${OWN}tls-container-refs.443`]: CERTIFICATE },
      ['TCP', 'TERMINATED_HTTPS'],
    ],
    [
      'all but the one with a protocol of its own',
      { [`${OWN}tls-container-refs`]: CERTIFICATE, [`${OWN}protocol.http`]: 'http' },
      ['HTTP', 'TERMINATED_HTTPS'],
    ],
    [
      'all, with the protocol that says so',
      { [`${OWN}tls-container-refs`]: CERTIFICATE, [`${OWN}protocol`]: 'terminated_https' },
      ['TERMINATED_HTTPS', 'TERMINATED_HTTPS'],
    ],
  ])('%s', async (_what, annotations, listeners) => {
    expect(await desired(annotations as Record<string, string>)).toMatchObject({ listeners, problems: [] });
  });

  test('a protocol on the Service goes before the certificate of cloud.conf', async () => {
    const config = { defaultTlsContainerRef: CERTIFICATE };
    expect((await desired({}, { config })).listeners).toEqual(['TERMINATED_HTTPS', 'TERMINATED_HTTPS']);
    expect(await desired({ [`${OWN}protocol`]: 'tcp' }, { config })).toMatchObject({
      listeners: ['TCP', 'TCP'],
      problems: [],
    });
  });

  test('certificates for one port go before its own protocol, and both are named', async () => {
    const { listeners, problems } = await desired({
      [`${OWN}tls-container-refs.443`]: CERTIFICATE,
      [`${OWN}protocol.443`]: 'http',
    });
    expect(listeners).toEqual(['TCP', 'TERMINATED_HTTPS']);
    expect(problems).toMatchObject([{ field: `${OWN}protocol.443`, value: 'http' }]);
    expect(problems[0]?.message).toContain(`${OWN}tls-container-refs.443`);
  });
});

const TLS = { [`${OWN}tls-container-refs.443`]: CERTIFICATE };

describe.each([
  ['TLS without a certificate', { [`${OWN}protocol.443`]: 'terminated_https' }, `${OWN}protocol.443`],
  [
    'clients without who signs',
    { ...TLS, [`${OWN}client-authentication`]: 'MANDATORY' },
    `${OWN}client-authentication`,
  ],
  [
    'withdrawn ones without who signs',
    { ...TLS, [`${OWN}client-crl-container-ref`]: OTHER_CERTIFICATE },
    `${OWN}client-crl-container-ref`,
  ],
  [
    'ciphers that are none',
    { ...TLS, [`${OWN}tls-ciphers`]: '-----BEGIN PRIVATE KEY-----' },
    `${OWN}tls-ciphers`,
  ],
  ['versions that are none', { ...TLS, [`${OWN}tls-versions`]: 'TLSv1.4' }, `${OWN}tls-versions`],
])('%s', (_what, annotations, field) => {
  test('is a problem that stops everything', async () => {
    const { problems } = await desired(annotations);
    expect(problems).toMatchObject([{ field, blocking: true }]);
  });
});

test('how TLS is spoken to members counts only where it is', async () => {
  const { problems } = await desired({ [`${OWN}pool-tls-versions`]: 'TLSv1.3' });
  expect(problems.map(({ field }) => field)).toContain(`${OWN}pool-tls-versions`);
});

test('what an older Octavia does not know is a problem; one that guards something stops everything', async () => {
  const older = { cloud: new Older() };
  const versions = await desired({ ...TLS, [`${OWN}tls-versions`]: 'TLSv1.3' }, older);
  expect(versions.problems).toMatchObject([{ field: `${OWN}tls-versions`, blocking: true }]);
  const alpn = await desired({ ...TLS, [`${OWN}alpn-protocols`]: 'h2' }, older);
  expect(alpn.problems).toMatchObject([{ field: `${OWN}alpn-protocols` }]);
  expect(alpn.problems[0]?.blocking).toBeUndefined();
});

test('HSTS is set where the API has it, on what terminates TLS', async () => {
  const hsts = {
    [`${OWN}hsts-max-age`]: '31536000',
    [`${OWN}hsts-include-subdomains`]: 'true',
    [`${OWN}hsts-preload`]: 'true',
  };
  const { settings, problems } = await desired({ ...TLS, ...hsts }, { cloud: new SimulatedCloud({}, 27) });
  expect(problems).toEqual([]);
  const all = { hsts_max_age: 31_536_000, hsts_include_subdomains: true, hsts_preload: true };
  expect(settings).toMatchObject([{}, all]);
  expect(Object.keys(settings[0] ?? {}).filter((name) => name.startsWith('hsts'))).toEqual([]);
});

test('how far HSTS reaches is not applied without how long it lasts', async () => {
  const { problems } = await desired({ ...TLS, [`${OWN}hsts-preload`]: 'true' });
  expect(problems).toMatchObject([{ field: `${OWN}hsts-preload` }]);
  expect(problems[0]?.message).toContain('hsts-max-age');
});

describe('a setting that no port has a use for', () => {
  const WITH_TLS = { [`${OWN}tls-container-refs.443`]: CERTIFICATE };
  const CLIENTS = { [`${OWN}client-ca-tls-container-ref`]: OTHER_CERTIFICATE };

  test.each<readonly [Record<string, string>, readonly (readonly [string, boolean])[]]>([
    [{ [`${OWN}tls-versions`]: 'TLSv1.3' }, [['tls-versions', false]]],
    [{ [`${OWN}tls-versions`]: 'TLSv1.3', ...WITH_TLS }, []],
    [{ [`${OWN}tls-versions.80`]: 'TLSv1.3', ...WITH_TLS }, [['tls-versions.80', false]]],
    [{ [`${OWN}client-authentication`]: 'NONE' }, []],
    [{ [`${OWN}client-authentication`]: 'MANDATORY', ...CLIENTS, ...WITH_TLS }, []],
    [
      { [`${OWN}client-authentication`]: 'MANDATORY', ...CLIENTS },
      [
        ['client-authentication', true],
        ['client-ca-tls-container-ref', false],
      ],
    ],
    [{ [`${OWN}redirect-http`]: 'true' }, [['redirect-http', false]]],
    [{ [`${OWN}redirect-http`]: 'false' }, []],
    [
      { [`${OWN}redirect-http`]: 'true', [`${OWN}redirect-host`]: 'a.org', [`${OWN}protocol.80`]: 'http' },
      [],
    ],
  ])('%o', async (annotations, told) => {
    const { problems } = await desired(annotations);
    const found = problems.map(({ field, blocking }) => [field.slice(OWN.length), blocking ?? false]);
    expect(found).toEqual(told);
  });
});
