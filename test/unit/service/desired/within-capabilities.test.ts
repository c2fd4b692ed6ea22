import { expect, test } from 'vitest';
import { withinCapabilities } from '../../../../shared/service/desired/within-capabilities.ts';
import { CAPABILITIES, lackingIn } from '../../../../shared/model/load-balancer/capabilities.ts';
import { ATTRIBUTES } from '../../../../shared/model/attributes.ts';
import measured from '../../../../infra/sandbox/openstack/releases.json' with { type: 'json' };
import type { DesiredResource } from '../../../../shared/model/resources.ts';

// prettier-ignore
const desired: readonly DesiredResource[] = [
  { kind: 'loadbalancer', address: 'lb', attributes: { flavor_id: 'f', availability_zone: 'az1', name: 'x' } },
  { kind: 'listener', address: 'listener/tcp/80', attributes: { protocol: 'HTTP', timeout_client_data: 10 } },
  { kind: 'pool', address: 'pool/tcp/80', attributes: { protocol: 'PROXYV2', lb_algorithm: 'ROUND_ROBIN' } },
];
const within = (minor: number, provider = 'amphora') =>
  withinCapabilities(desired, { major: 2, minor, provider });

test.each([
  ['amphora', 'SOURCE_IP'],
  ['octavia', 'SOURCE_IP'],
  ['ovn', 'SOURCE_IP_PORT'],
  ['f5', 'SOURCE_IP_PORT'],
])('the provider %s balances by source and port as %s', (provider, lb_algorithm) => {
  const pool: DesiredResource = {
    kind: 'pool',
    address: 'pool/tcp/80',
    attributes: { lb_algorithm: 'SOURCE_IP_PORT' },
  };
  const { resources, problems } = withinCapabilities([pool], { major: 2, minor: 27, provider });
  expect(resources[0]?.attributes).toEqual({ lb_algorithm });
  expect(problems).toHaveLength(lb_algorithm === 'SOURCE_IP' ? 1 : 0);
});

test('a cloud that has everything changes nothing', () => {
  expect(within(26)).toEqual({ resources: desired, problems: [] });
});

test('an older API is asked for what it has, and a message names the version that the rest needs', () => {
  const { resources, problems } = within(13);
  expect(resources.map(({ attributes }) => attributes)).toEqual([
    { flavor_id: 'f', name: 'x' },
    { protocol: 'HTTP', timeout_client_data: 10 },
    { protocol: 'PROXY', lb_algorithm: 'ROUND_ROBIN' },
  ]);
  expect(problems.map(({ field, value, message }) => `${field} ${value} ${message}`)).toEqual([
    'loadbalancer availability_zone az1 needs Octavia API 2.14, and this cloud has 2.13; levelset ignores it',
    'pool protocol PROXYV2 needs Octavia API 2.22, and this cloud has 2.13; levelset uses PROXY instead',
  ]);
});

test('the ovn provider gets TCP and its only algorithm; what nobody asked for is no problem', () => {
  const { resources, problems } = within(26, 'ovn');
  expect(resources.map(({ attributes }) => attributes)).toEqual([
    { name: 'x' },
    { protocol: 'TCP' },
    { protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT' },
  ]);
  expect(problems.map(({ field }) => field).sort()).toEqual([
    'listener protocol',
    'listener timeout_client_data',
    'loadbalancer availability_zone',
    'loadbalancer flavor_id',
    'pool protocol',
  ]);
});

// prettier-ignore
const checked = (protocol: string): readonly DesiredResource[] => [
  { kind: 'healthmonitor', address: `monitor/${protocol}/53`, attributes: { type: 'HTTP', delay: 5, http_method: 'GET', url_path: '/healthz', expected_codes: '200' } },
  { kind: 'member', address: `member/${protocol}/53/10.0.0.4:30053`, attributes: { monitor_port: 31_999 } },
];

test.each([
  [15, 'amphora', 'udp', { type: 'UDP-CONNECT', delay: 5 }, null],
  [30, 'ovn', 'udp', { type: 'UDP-CONNECT', delay: 5 }, null],
  [30, 'ovn', 'tcp', { type: 'TCP', delay: 5 }, null],
  [15, 'amphora', 'tcp', checked('tcp')[0]?.attributes, 31_999],
  [16, 'amphora', 'udp', checked('tcp')[0]?.attributes, 31_999],
] as const)(
  'kube-proxy is asked where an HTTP check can be had: API 2.%i, %s, %s',
  (minor, provider, protocol, monitor, monitor_port) => {
    const { resources, problems } = withinCapabilities(checked(protocol), { major: 2, minor, provider });
    expect(resources.map(({ attributes }) => attributes)).toEqual([monitor, { monitor_port }]);
    expect(problems).toEqual([]);
  },
);

test('a port that should end TLS is not opened without it', () => {
  const port: DesiredResource = {
    kind: 'listener',
    address: 'l',
    attributes: { protocol: 'TERMINATED_HTTPS' },
  };
  expect(withinCapabilities([port], { major: 2, minor: 26, provider: 'ovn' }).problems).toMatchObject([
    { blocking: true },
  ]);
});

test('a port for which nothing can stand in is skipped, with all that is behind it', () => {
  const resources: readonly DesiredResource[] = [
    { kind: 'listener', address: 'listener/sctp/80', attributes: { protocol: 'SCTP' } },
    { kind: 'pool', address: 'pool/sctp/80', attributes: { protocol: 'SCTP' } },
    { kind: 'member', address: 'member/sctp/80/10.0.0.1:30080', attributes: { address: '10.0.0.1' } },
    { kind: 'listener', address: 'listener/tcp/80', attributes: { protocol: 'TCP' } },
  ];
  const able = withinCapabilities(resources, { major: 2, minor: 22, provider: 'amphora' });
  expect(able.resources.map(({ address }) => address)).toEqual(['listener/tcp/80']);
  expect(able.problems.map(({ field, value, message }) => `${field} ${value} ${message}`)).toEqual([
    'listener protocol SCTP needs Octavia API 2.23, and this cloud has 2.22; levelset leaves out the port',
  ]);
});

test('what guards something stops everything, and is named as the Service spells it', () => {
  const listener: DesiredResource = {
    kind: 'listener',
    address: 'listener/tcp/443',
    attributes: { tls_versions: ['TLSv1.3'] },
  };
  const spelling = { name: 'levelset.openstack.org/tls-versions', text: 'tlsv1.3', ofOnePort: false };
  const old = { major: 2, minor: 16, provider: 'amphora' };
  expect(
    withinCapabilities([listener], old, [{ at: 'tcp/443', spelled: { 'listener.tls_versions': spelling } }])
      .problems,
  ).toEqual([
    {
      field: spelling.name,
      value: spelling.text,
      message: 'needs Octavia API 2.17, and this cloud has 2.16; levelset changes nothing while it is set',
      blocking: true,
    },
  ]);
});

test.each(CAPABILITIES)('$kind $attribute is an attribute that levelset sets', ({ kind, attribute }) => {
  expect(Object.keys(ATTRIBUTES[kind])).toContain(attribute);
});

const MEASURED = measured.rows.flatMap(({ attribute, ...row }) => (attribute ? [{ attribute, row }] : []));

test.each(MEASURED)('is told of $row.what as it was measured', ({ attribute: [kind, name, value], row }) => {
  const has = (provider: string, api: string): boolean =>
    !lackingIn(provider, Number(api.slice('v2.'.length))).some(
      (one) =>
        one.kind === kind &&
        one.attribute === name &&
        one.at === undefined &&
        (one.values?.includes(value) ?? true),
    );
  const said = (answer: string): boolean => answer.startsWith('yes');
  expect([
    has('amphora', measured.releases['2022.2'].api),
    has('amphora', measured.releases['2026.2'].api),
  ]).toEqual([said(row['2022.2']), said(row['2026.2'])]);
  expect(has('ovn', measured.releases['2026.2'].api)).toBe(said(row.ovn));
});
