import { describe, expect, test } from 'vitest';
import {
  readIntent,
  type ServiceIntent,
  withFamilies,
} from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';
import type { LoadBalancerConfig } from '../../../../shared/config/config.ts';
import { desireIngress } from '../../../../shared/service/report/published-address.ts';
import { OPTIONS as OF_CLOUD_CONF } from '../../../../shared/config/cloud-conf/options.ts';
import { camel } from '../../../../shared/config/read-value.ts';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { effectiveValues, overruledValues } from '../../../../shared/service/intent/effective-values.ts';

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

const rangesOf = (...loadBalancerSourceRanges: string[]): readonly string[] | null =>
  readIntent(aStoredService({ spec: { loadBalancerSourceRanges } }), aConfig()).allowed_cidrs;

test('two spellings of one range are one: Octavia keeps each only once', () => {
  expect(rangesOf('192.0.2.7/24', '192.0.2.0/24', '10.0.0.0/8')).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
});

test('everybody among the ranges is everybody', () => {
  expect(rangesOf('10.0.0.0/8', '0.0.0.0/0')).toBeNull();
});

test('of two families nobody has access by the one that has no range, and everybody only by both', () => {
  const dual = (...loadBalancerSourceRanges: string[]) =>
    readIntent(
      aStoredService({ spec: { loadBalancerSourceRanges, ipFamilies: ['IPv4', 'IPv6'] } }),
      aConfig(),
    ).allowed_cidrs;
  expect(dual('0.0.0.0/0')).toEqual(['0.0.0.0/0']);
  expect(dual('0.0.0.0/0', '::/0')).toBeNull();
  expect(dual('fd00::/8', '10.0.0.0/8')).toEqual(['10.0.0.0/8', 'fd00::/8']);
});

test('a rule that is not served is skipped, and where none is left nothing is opened', () => {
  const service = (...loadBalancerSourceRanges: string[]) =>
    aStoredService({ spec: { loadBalancerSourceRanges, ipFamilies: ['IPv4', 'IPv6'] } });
  const four = withFamilies(readIntent(service('fd00::/8', '10.0.0.0/8'), aConfig()), [4]);
  expect(four).toMatchObject({ families: [4], allowed_cidrs: ['10.0.0.0/8'] });
  expect(four.rangeProblems).toEqual([expect.objectContaining({ value: 'fd00::/8' })]);
  const none = withFamilies(readIntent(service('fd00::/8'), aConfig()), [4]);
  expect(none.allowed_cidrs).toEqual([]);
  expect(none.rangeProblems).toContainEqual(expect.objectContaining({ blocking: true }));
});

test.each([
  ['', null],
  [' ', null],
  [',', []],
  [' , ;', []],
  ['[]', []],
  ['10.0.0.0/8,', ['10.0.0.0/8']],
])('the annotation %j opens to %j', (text, cidrs) => {
  const annotations = { 'service.beta.kubernetes.io/load-balancer-source-ranges': text };
  const { allowed_cidrs, rangeProblems } = readIntent(aStoredService({ annotations }), aConfig());
  expect(allowed_cidrs).toEqual(cidrs);
  expect(rangeProblems.some(({ blocking }) => blocking)).toBe(cidrs?.length === 0);
});

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
  // prettier-ignore
  test.each([
    ['as it is', {}, {}, { ip: '192.0.2.7', ipMode: 'VIP' }],
    ['also with names switched on', {}, NAMED, { ip: '192.0.2.7', ipMode: 'VIP' }],
    ['for a proxy', PROXY, {}, { ip: '192.0.2.7', ipMode: 'Proxy' }],
    ['as a name, for a proxy', PROXY, NAMED, { hostname: '192.0.2.7.nip.io' }],
    ['below the suffix', PROXY, { ...NAMED, ingressHostnameSuffix: 'a.b' }, { hostname: '192.0.2.7.a.b' }],
    ['as the name that the Service asks for', { ...PROXY, 'loadbalancer.openstack.org/hostname': 'app.example.org' }, NAMED, { hostname: 'app.example.org' }],
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

function intentOf(annotations: Readonly<Record<string, string>>, conf: object = {}): ServiceIntent {
  const config = aConfig('http://127.0.0.1:1');
  const given = Object.keys(conf);
  const all = { ...config, given, loadBalancer: { ...config.loadBalancer, ...conf } };
  return readIntent(aStoredService({ annotations }), all);
}

const ROWS = ANNOTATIONS.flatMap(({ names, example }) =>
  names.map((name) => [name, example.replace(/^[A-Z_]+_ID$/, ID)] as const),
);

test.each(ROWS)('%s is named as what set its value, unless a Problem names it', (name, example) => {
  const intent = intentOf({ [name]: example });
  const named = effectiveValues(intent).filter(({ setBy }) => setBy === `annotation ${name}`);
  const isWrong = intent.problems.some(({ field }) => field === name);
  expect(named.length > 0 || isWrong).toBe(true);
});

const OPTIONS = ANNOTATIONS.flatMap(({ option, names: [name = ''] }) =>
  option ? [[option, name] as const] : [],
);

test.each(OPTIONS)(
  '%s of cloud.conf is named by its key, until the annotation sets the value',
  (field, name) => {
    const key = Object.keys(OF_CLOUD_CONF.LoadBalancer).find((one) => camel(one) === field) ?? '';
    const value =
      { nodeSelector: { pool: 'edge' }, monitorDelay: 9, enableIngressHostname: true }[field as string] ?? ID;
    const setBy = (annotations: Readonly<Record<string, string>>) =>
      effectiveValues(intentOf(annotations, { [field]: value })).map((one) => one.setBy);
    expect(setBy({})).toContain(`cloud.conf ${key}`);
    const example = ROWS.find(([one]) => one === name)?.[1] ?? '';
    // an internal Service of cloud.conf stays one (docs/sources/occm.md, "Internal Services and IPv6")
    if (field !== 'internalLb') expect(setBy({ [name]: example })).not.toContain(`cloud.conf ${key}`);
  },
);

test('an option that an annotation of its group goes before is told, and is no Problem', () => {
  const intent = intentOf({ 'loadbalancer.openstack.org/port-id': ID }, { subnetId: ID });
  expect(overruledValues(intent)).toEqual([
    {
      field: 'cloud.conf subnet-id',
      value: ID,
      message: 'has no effect: annotation loadbalancer.openstack.org/port-id goes first',
    },
  ]);
  expect(intent.problems).toEqual([]);
});
