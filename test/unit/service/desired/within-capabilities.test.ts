/** What test/golden/annotations.txt and the stories of each Octavia do not show. */
import { expect, test } from 'vitest';
import { withinCapabilities } from '../../../../shared/service/desired/what-this-cloud-can-do.ts';
import { CAPABILITIES, lackingIn } from '../../../../shared/model/load-balancer/octavia.ts';
import { ATTRIBUTES } from '../../../../shared/model/attributes.ts';
import measured from '../../../../infra/sandbox/openstack/releases.json' with { type: 'json' };
import type { Attributes, DesiredResource } from '../../../../shared/model/resources.ts';

const pool = (attributes: Attributes, at = 'tcp/80'): DesiredResource => ({
  ...{ kind: 'pool', address: `pool/${at}`, attributes },
});
const BY_SOURCE = [pool({ lb_algorithm: 'SOURCE_IP_PORT' })];
const CHECK = { type: 'HTTP', delay: 5, http_method: 'GET', url_path: '/healthz', expected_codes: '200' };
const checked = (protocol: string): readonly DesiredResource[] => [
  { kind: 'healthmonitor', address: `monitor/${protocol}/53`, attributes: CHECK },
  { kind: 'member', address: `member/${protocol}/53/10.0.0.4:30053`, attributes: { monitor_port: 31_999 } },
];
const SCTP: readonly DesiredResource[] = [
  { kind: 'listener', address: 'listener/sctp/80', attributes: { protocol: 'SCTP' } },
  pool({ protocol: 'SCTP' }, 'sctp/80'),
  { kind: 'member', address: 'member/sctp/80/10.0.0.1:30080', attributes: { address: '10.0.0.1' } },
  { kind: 'listener', address: 'listener/tcp/80', attributes: { protocol: 'TCP' } },
];

// prettier-ignore
test.each<[string, readonly DesiredResource[], minor: number, provider: string, attributes: readonly object[], told?: readonly string[]]>([
  ['amphora balances by source and port as by source', BY_SOURCE, 27, 'amphora', [{ lb_algorithm: 'SOURCE_IP' }], ['pool lb_algorithm SOURCE_IP_PORT']],
  ['so does octavia', BY_SOURCE, 27, 'octavia', [{ lb_algorithm: 'SOURCE_IP' }], ['pool lb_algorithm SOURCE_IP_PORT']],
  ['another provider does by both', BY_SOURCE, 27, 'f5', [{ lb_algorithm: 'SOURCE_IP_PORT' }]],
  ['version 2 of the PROXY protocol becomes version 1', [pool({ protocol: 'PROXYV2' })], 21, 'amphora', [{ protocol: 'PROXY' }],
    ['pool protocol PROXYV2 needs Octavia API 2.22, and this cloud has 2.21; levelset uses PROXY instead']],
  ['kube-proxy is asked where an HTTP check can be had: not of TCP by ovn', checked('tcp'), 30, 'ovn', [{ type: 'TCP', delay: 5 }, { monitor_port: null }]],
  ['but of TCP by amphora', checked('tcp'), 15, 'amphora', [CHECK, { monitor_port: 31_999 }]],
  ['a port for which nothing can stand in is skipped, with all that is behind it', SCTP, 22, 'amphora', [{ protocol: 'TCP' }],
    ['listener protocol SCTP needs Octavia API 2.23, and this cloud has 2.22; levelset leaves out the port']],
])('%s', (_, resources, minor, provider, attributes, told = []) => {
  const able = withinCapabilities(resources, { major: 2, minor, provider });
  expect(able.resources.map((one) => one.attributes)).toEqual(attributes);
  const said = able.problems.map(({ field, value, message }) => `${field} ${value} ${message}`);
  expect(said).toEqual(told.map((text) => expect.stringContaining(text) as string));
});

test('a capability is of an attribute that levelset sets', () => {
  const strange = CAPABILITIES.filter(({ kind, attribute }) => !(attribute in ATTRIBUTES[kind]));
  expect(strange).toEqual([]);
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
  const { '2022.2': old, '2026.2': recent } = measured.releases;
  const found = [has('amphora', old.api), has('amphora', recent.api), has('ovn', recent.api)];
  expect(found).toEqual([row['2022.2'], row['2026.2'], row.ovn].map((answer) => answer.startsWith('yes')));
});
