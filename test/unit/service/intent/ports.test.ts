import { expect, test } from 'vitest';
import {
  readIntent,
  type ServiceIntent,
  withFamilies,
} from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';
import { desireIngress, sameIngress } from '../../../../shared/service/report/published-status.ts';
import { OPTIONS as OF_CLOUD_CONF } from '../../../../shared/config/cloud-conf/options.ts';
import { camel } from '../../../../shared/config/read-value.ts';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { effectiveValues, overruledValues } from '../../../../shared/service/intent/effective-values.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const TLS = 'TERMINATED_HTTPS';

type Annotations = Readonly<Record<string, string>>;

function intentOf(annotations: Annotations, conf: object = {}, spec: object = {}): ServiceIntent {
  const config = { ...aConfig(undefined, conf), given: Object.keys(conf) };
  return readIntent(aStoredService({ annotations, spec: { ...spec } }), config);
}

// the apiserver takes any qualified name, also one that every object of JavaScript has
test.each([
  ['http', 'HTTP'],
  ['kubernetes.io/ws', 'HTTP'],
  ['kubernetes.io/h2c', 'TCP'],
  ['example.com/mine', 'TCP'],
  ['constructor', 'TCP'],
])('appProtocol %s is %s', (appProtocol, protocol) => {
  const { ports } = intentOf({}, {}, { ports: [{ name: 'http', port: 80, appProtocol }] });
  expect(ports).toMatchObject([{ listens: protocol, pools: protocol }]);
});

test.each<[string, Annotations, readonly string[], string?]>([
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
  const conf = defaultTlsContainerRef ? { defaultTlsContainerRef } : {};
  expect(intentOf(annotations, conf, { ports }).ports.map((port) => port.listens)).toEqual(listens);
});

const BOTH = ['IPv4', 'IPv6'];

/** Of several families the ranges of each: nobody has access by one that has none. An empty list blocks the Service. */
test.each<[string, annotation: string, spec: readonly string[], families: readonly string[], cidrs: unknown]>(
  [
    ['two spellings are one', '', ['192.0.2.7/24', '192.0.2.0/24', '10.0.0.0/8'], ['IPv4'], ['10.0.0.0/8', '192.0.2.0/24']], // prettier-ignore
    ['everybody among them is everybody', '', ['10.0.0.0/8', '0.0.0.0/0'], ['IPv4'], null],
    ['of two families only by both', '', ['0.0.0.0/0', '::/0'], BOTH, null],
    ['not by one', '', ['0.0.0.0/0'], BOTH, ['0.0.0.0/0']],
    ['nothing', ' ', [], ['IPv4'], null],
    ['a comma', ',', [], ['IPv4'], []],
    ['commas', ' , ;', [], ['IPv4'], []],
    ['an empty list', '[]', [], ['IPv4'], []],
    ['a comma behind', '10.0.0.0/8,', [], ['IPv4'], ['10.0.0.0/8']],
  ],
)('ranges: %s', (_, text, loadBalancerSourceRanges, ipFamilies, cidrs) => {
  const { allowed_cidrs, rangeProblems } = intentOf({ [RANGES]: text }, {}, { loadBalancerSourceRanges, ipFamilies }); // prettier-ignore
  expect(allowed_cidrs).toEqual(cidrs);
  expect(rangeProblems.some(({ blocking }) => blocking)).toBe(Array.isArray(cidrs) && cidrs.length === 0);
});

test('a range of a family that is not served is skipped, and where none is left nothing is opened', () => {
  const served = (...loadBalancerSourceRanges: readonly string[]) =>
    withFamilies(intentOf({}, {}, { loadBalancerSourceRanges, ipFamilies: BOTH }), [4]);
  const four = served('fd00::/8', '10.0.0.0/8');
  expect(four).toMatchObject({ families: [4], allowed_cidrs: ['10.0.0.0/8'] });
  expect(four.rangeProblems).toEqual([expect.objectContaining({ value: 'fd00::/8' })]);
  expect(served('fd00::/8')).toMatchObject({ allowed_cidrs: [] });
  expect(served('fd00::/8').rangeProblems).toContainEqual(expect.objectContaining({ blocking: true }));
});

const PROXY = { [`${OCCM}proxy-protocol`]: 'true' };
const NAMED = { enableIngressHostname: true };
const ip = '192.0.2.7';

// prettier-ignore
test.each<[string, Annotations, conf: object, object, address?: string, protocol?: string]>([
  ['as it is, also with names switched on', {}, NAMED, { ip, ipMode: 'VIP' }],
  ['for a proxy', PROXY, {}, { ip, ipMode: 'Proxy' }],
  ['as a name, for a proxy', PROXY, NAMED, { hostname: '192.0.2.7.nip.io' }],
  ['below the suffix', PROXY, { ...NAMED, ingressHostnameSuffix: 'a.b' }, { hostname: '192.0.2.7.a.b' }],
  ['as the name that the Service asks for', { ...PROXY, [`${OCCM}hostname`]: 'app.example.org' }, NAMED, { hostname: 'app.example.org' }],
  ['as a VIP where no port speaks the PROXY protocol', PROXY, NAMED, { ip, ipMode: 'VIP' }, ip, 'UDP'],
  ['of IPv6 as a name', PROXY, NAMED, { hostname: 'fd00--5.nip.io' }, 'fd00::5'],
  ['which begins with colons', PROXY, NAMED, { hostname: '0--1.nip.io' }, '::1'],
  ['or ends in them', PROXY, NAMED, { hostname: 'fd00--0.nip.io' }, 'fd00::'],
])('the address is published %s', (_, annotations, conf, ingress, address = ip, protocol = 'TCP') => {
  const intent = intentOf(annotations, conf, { ports: [{ port: 80, protocol }] });
  expect(desireIngress(intent, [address])).toEqual([ingress]);
});

const VIP = { ip, ipMode: 'VIP' };

// prettier-ignore
test.each([
  ['the same', [VIP], [VIP], true],
  ['another mode', [{ ip, ipMode: 'Proxy' }], [VIP], false],
  ['an apiserver without modes', [VIP], [{ ip }], true],
  ['the same, for a proxy', [{ ip, ipMode: 'Proxy' }], [{ ip }], true],
  ['another address there', [VIP], [{ ip: '192.0.2.8' }], false],
  ['an address too few there', [VIP, { ip: 'fd00::9', ipMode: 'VIP' }], [{ ip }], false],
  ['an address too many there', [VIP], [{ ip }, { ip: 'fd00::9' }], false],
  ['a name for an address', [{ hostname: 'a.example' }], [VIP], false],
  ['ports that another controller wrote', [{ ip }], [{ ip, ports: [{ port: 443, protocol: 'TCP' }] }], false],
  ['an empty list of ports', [{ ip }], [{ ip, ports: [] }], true],
])('whether what is published is as it should be: %s', (_what, desired, published, same) => {
  expect(sameIngress(desired, published)).toBe(same);
});

const ROWS = ANNOTATIONS.flatMap(({ names, example }) =>
  names.map((name) => [name, example.replace(/^[A-Z_]+_ID$/, ID)] as const),
);

test.each(ROWS)('a value is named as what set it: %s, unless a Problem names it', (name, example) => {
  const intent = intentOf({ [name]: example });
  const named = effectiveValues(intent).filter(({ setBy }) => setBy === `annotation ${name}`);
  const isWrong = intent.problems.some(({ field }) => field === name);
  expect(named.length > 0 || isWrong).toBe(true);
});

const OPTIONS = ANNOTATIONS.flatMap(({ option, names: [name = ''] }) =>
  option ? [[option as string, name] as const] : [],
);
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ nodeSelector: { pool: 'edge' }, monitorDelay: 9, enableIngressHostname: true },
};

test.each(OPTIONS)(
  'a value is named as what set it: %s of cloud.conf by its key, until the annotation sets the value',
  (field, name) => {
    const key = Object.keys(OF_CLOUD_CONF.LoadBalancer).find((one) => camel(one) === field) ?? '';
    const setBy = (annotations: Annotations) =>
      effectiveValues(intentOf(annotations, { [field]: VALUES[field] ?? ID })).map((one) => one.setBy);
    expect(setBy({})).toContain(`cloud.conf ${key}`);
    const example = ROWS.find(([one]) => one === name)?.[1] ?? '';
    // an internal Service of cloud.conf stays one (docs/sources/occm.md, "Internal Services and IPv6")
    if (field !== 'internalLb') expect(setBy({ [name]: example })).not.toContain(`cloud.conf ${key}`);
  },
);

test('an option that an annotation of its group goes before is told, and is no Problem', () => {
  const intent = intentOf({ [`${OCCM}port-id`]: ID }, { subnetId: ID });
  expect(overruledValues(intent)).toEqual([
    {
      field: 'cloud.conf subnet-id',
      value: ID,
      message: `has no effect: annotation ${OCCM}port-id goes first`,
    },
  ]);
  expect(intent.problems).toEqual([]);
});
