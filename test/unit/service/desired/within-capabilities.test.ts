import { expect, test } from 'vitest';
import { withinCapabilities } from '../../../../shared/service/desired/within-capabilities.ts';
import { CAPABILITIES, lackingIn } from '../../../../shared/model/load-balancer/capabilities.ts';
import { ATTRIBUTES } from '../../../../shared/model/attributes.ts';
import measured from '../../../../infra/sandbox/openstack/releases.json' with { type: 'json' };
import type { Attributes, DesiredResource } from '../../../../shared/model/resources.ts';

// prettier-ignore
const desired: readonly DesiredResource[] = [
  { kind: 'loadbalancer', address: 'lb', attributes: { flavor_id: 'f', availability_zone: 'az1', name: 'x' } },
  { kind: 'listener', address: 'listener/tcp/80', attributes: { protocol: 'HTTP', timeout_client_data: 10 } },
  { kind: 'pool', address: 'pool/tcp/80', attributes: { protocol: 'PROXYV2', lb_algorithm: 'ROUND_ROBIN' } },
];
const pool = (attributes: Attributes): DesiredResource => ({
  kind: 'pool',
  address: 'pool/tcp/80',
  attributes,
});
const listener = (protocol: string, address = 'listener/tcp/80'): DesiredResource => ({
  ...{ kind: 'listener', address, attributes: { protocol } },
});
const HTTP_CHECK = {
  type: 'HTTP',
  delay: 5,
  http_method: 'GET',
  url_path: '/healthz',
  expected_codes: '200',
};
const checked = (protocol: string): readonly DesiredResource[] => [
  { kind: 'healthmonitor', address: `monitor/${protocol}/53`, attributes: HTTP_CHECK },
  { kind: 'member', address: `member/${protocol}/53/10.0.0.4:30053`, attributes: { monitor_port: 31_999 } },
];
const BY_SOURCE = [pool({ lb_algorithm: 'SOURCE_IP_PORT' })];
const without = (kind: 'UDP-CONNECT' | 'TCP') => [{ type: kind, delay: 5 }, { monitor_port: null }];
const ALL = [HTTP_CHECK, { monitor_port: 31_999 }];
const SCTP = [
  listener('SCTP', 'listener/sctp/80'),
  { ...pool({ protocol: 'SCTP' }), address: 'pool/sctp/80' },
  { kind: 'member', address: 'member/sctp/80/10.0.0.1:30080', attributes: { address: '10.0.0.1' } },
  listener('TCP'),
] as const;

/** `!` in front of a Problem: it stops everything. */
// prettier-ignore
test.each<[string, readonly DesiredResource[], minor: number, provider: string, attributes: readonly object[], told?: readonly string[]]>([
  ['amphora balances by source and port as by source', BY_SOURCE, 27, 'amphora', [{ lb_algorithm: 'SOURCE_IP' }], ['pool lb_algorithm SOURCE_IP_PORT']],
  ['so does octavia', BY_SOURCE, 27, 'octavia', [{ lb_algorithm: 'SOURCE_IP' }], ['pool lb_algorithm SOURCE_IP_PORT']],
  ['ovn does by both', BY_SOURCE, 27, 'ovn', [{ lb_algorithm: 'SOURCE_IP_PORT' }]],
  ['so does another provider', BY_SOURCE, 27, 'f5', [{ lb_algorithm: 'SOURCE_IP_PORT' }]],
  ['a cloud that has everything changes nothing', desired, 26, 'amphora', desired.map(({ attributes }) => attributes)],
  ['an older API is asked for what it has, and a message names the version that the rest needs', desired, 13, 'amphora',
    [{ flavor_id: 'f', name: 'x' }, { protocol: 'HTTP', timeout_client_data: 10 }, { protocol: 'PROXY', lb_algorithm: 'ROUND_ROBIN' }],
    ['loadbalancer availability_zone az1 needs Octavia API 2.14, and this cloud has 2.13; levelset ignores it', 'pool protocol PROXYV2 needs Octavia API 2.22, and this cloud has 2.13; levelset uses PROXY instead']],
  ['ovn gets TCP and its only algorithm; what nobody asked for is no problem', desired, 26, 'ovn', [{ name: 'x' }, { protocol: 'TCP' }, { protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT' }],
    ['listener protocol', 'listener timeout_client_data', 'loadbalancer availability_zone', 'loadbalancer flavor_id', 'pool protocol']],
  ['kube-proxy is asked where an HTTP check can be had: not of UDP before 2.16', checked('udp'), 15, 'amphora', without('UDP-CONNECT')],
  ['nor by ovn, of UDP', checked('udp'), 30, 'ovn', without('UDP-CONNECT')],
  ['nor by ovn, of TCP', checked('tcp'), 30, 'ovn', without('TCP')],
  ['but of TCP', checked('tcp'), 15, 'amphora', ALL],
  ['and of UDP from 2.16 on', checked('udp'), 16, 'amphora', ALL],
  ['a port that should end TLS is not opened without it', [listener('TERMINATED_HTTPS')], 26, 'ovn', [{ protocol: 'TCP' }], ['!listener protocol TERMINATED_HTTPS']],
  ['a port for which nothing can stand in is skipped, with all that is behind it', SCTP, 22, 'amphora', [{ protocol: 'TCP' }], ['listener protocol SCTP needs Octavia API 2.23, and this cloud has 2.22; levelset leaves out the port']],
])('%s', (_, resources, minor, provider, attributes, told = []) => {
  const able = withinCapabilities(resources, { major: 2, minor, provider });
  expect(able.resources.map((one) => one.attributes)).toEqual(attributes);
  const said = able.problems.map(({ field, value, message, blocking }) => `${blocking ? '!' : ''}${field} ${value} ${message}`);
  expect(said.sort()).toEqual(told.map((text) => expect.stringContaining(text) as string));
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
      message: 'needs Octavia API 2.17, and this cloud has 2.16; while it is set, the Service is blocked',
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
