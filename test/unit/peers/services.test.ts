import { readCloudConf } from '../../../shared/config/cloud-conf/cloud-conf.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import type { LoadBalancerIngress } from '../../../shared/model/kubernetes.ts';
import { desirePersistence } from '../../../shared/service/desired/desire-pool.ts';
import { desireInsertHeaders } from '../../../shared/service/desired/desire-port.ts';
import { sourceRanges } from '../../../shared/model/text/parsers.ts';
import { readIntent } from '../../../shared/service/intent/service-intent.ts';
import { readAnnotations } from '../../../shared/service/intent/read-annotations.ts';
import { configOf } from '../../../shared/service/intent/service-config.ts';
import { allowedRanges, readSourceRanges } from '../../../shared/service/intent/source-ranges.ts';
import { desireIngress, sameIngress } from '../../../shared/service/report/published-address.ts';
import { signOfService } from '../../../shared/trigger/keys-from-objects.ts';
import { expect, it } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';
import { as, table, type Case } from './table.ts';

const L = 'loadbalancer.openstack.org/';
const CERTIFICATE = { [`${L}default-tls-container-ref`]: '0f5c3c7a-51a4-4a55-9c8e-6d9d5f3b7e21' };
const HEADER = { [`${L}x-forwarded-for`]: 'true' };
function intent(annotations: Record<string, string>, spec: object = {}, config = aConfig()) {
  const service = aStoredService(
    as({ annotations, spec: { ports: [{ name: 'web', port: 80, protocol: 'TCP' }], ...spec } }),
  );
  const { config: own, problems } = configOf(service, config);
  return { service, own, problems, read: readAnnotations(service, own) };
}
/** The one port: its protocols, what is read of it, and what is desired of it. */
function onePort(
  annotations: Record<string, string>,
  transport = 'TCP',
  spec: object = {},
  config = aConfig(),
) {
  const ports = [{ name: 'web', port: 80, protocol: transport }];
  const { service } = intent(annotations, { ...spec, ports }, config);
  const { ports: read } = readIntent(service, config);
  const [port] = as<[(typeof read)[number]]>(read);
  return { service, port };
}

const protocol = ([annotations, transport]: readonly [Record<string, string>, string?]) => onePort(annotations, transport).port.listens; // prettier-ignore
table('the protocol of a listener', protocol, [
  ['with a certificate', [CERTIFICATE], 'TERMINATED_HTTPS'],
  ['with a header', [HEADER], 'HTTP'],
  ['TCP', [{}], 'TCP'],
  ['UDP', [{}, 'UDP'], 'UDP'],
  ['SCTP', [{}, 'SCTP'], 'SCTP'],
  ['with a certificate and a header', [{ ...CERTIFICATE, ...HEADER }], 'TERMINATED_HTTPS'],
]);

const LIMIT = { [`${L}connection-limit`]: '250' };
table('a listener', (annotations: Record<string, string>) => {
  const { port } = onePort(annotations);
  const { insert_headers: headers } = as<{ insert_headers?: object }>(desireInsertHeaders(port, []));
  return [port.listens, port.listener.connection_limit, headers ?? null];
}, [
  ['plain', LIMIT, ['TCP', 250, null]],
  ['with a certificate', { ...LIMIT, ...CERTIFICATE }, ['TERMINATED_HTTPS', 250, null]],
  ['with a header', { ...LIMIT, ...HEADER }, ['HTTP', 250, { 'X-Forwarded-For': 'true' }]],
  ['with both', { ...LIMIT, ...CERTIFICATE, ...HEADER }, ['TERMINATED_HTTPS', 250, { 'X-Forwarded-For': 'true' }]],
] as readonly Case<Record<string, string>, readonly unknown[]>[]); // prettier-ignore
const read = (name: string, value: string | undefined, createMonitor = true) => onePort(value === undefined ? {} : { [L + name]: value }, 'TCP', {}, aConfig(undefined, { createMonitor })).port; // prettier-ignore
table('connection-limit', (value: string | undefined) => read('connection-limit', value).listener.connection_limit, [
  ['none', undefined, -1],
  ['a number', '3', 3],
  ['minus one', '-1', -1],
  ['with a sign', '+3', 3],
  ['with zeros', '004', 4],
  ['with a blank', ' 3', -1, 431, 3],
  ['a word', 'word', -1, 430, undefined],
] as readonly Case<string | undefined, number | undefined>[]); // prettier-ignore
table('enable-health-monitor', ([value, otherwise]: readonly [string | undefined, boolean]) => read('enable-health-monitor', value, otherwise).ServicePort.monitor, [
  ['none', [undefined, true], true],
  ['true', ['true', false], true],
  ['false', ['false', true], false],
  ['a word', ['word', true], true],
  ['one', ['1', false], false],
  ['yes', ['yes', false], false],
  ['with a capital', ['True', false], false, 431, true],
]); // prettier-ignore
table('proxy-protocol', (value: string | undefined) => read('proxy-protocol', value).ServicePort.proxyProtocol ?? 'off', [
  ['none', undefined, 'off'],
  ...([['false', 'off'], ['true', 'PROXY'], ['v1', 'PROXY'], ['v2', 'PROXYV2'], ['a word', 'off']] as const).map(([value, is]): Case<string | undefined, string> => [value, value, is]),
]); // prettier-ignore

const PROXY = { [`${L}proxy-protocol`]: 'true' };
type Pool = readonly [annotations: Record<string, string>, transport?: string, sessionAffinity?: string];
table('a pool', ([annotations, transport, sessionAffinity = 'ClientIP']: Pool) => {
  const { service, port } = onePort(annotations, transport, { sessionAffinity }, aConfig(undefined, { lbProvider: 'ovn', lbMethod: 'SOURCE_IP_PORT' }));
  const { session_persistence: sticks } = { session_persistence: as<{ type: string } | null>(desirePersistence(port, service, [])) };
  return [port.pools, port.pool.lb_algorithm, sticks?.type ?? null];
}, [
  ['PROXY', [{ ...CERTIFICATE, ...HEADER, ...PROXY }], ['PROXY', 'SOURCE_IP_PORT', 'SOURCE_IP']],
  ['PROXY of the second version', [{ ...CERTIFICATE, ...HEADER, [`${L}proxy-protocol`]: 'v2' }], ['PROXYV2', 'SOURCE_IP_PORT', 'SOURCE_IP']],
  ['HTTP', [{ ...CERTIFICATE, ...HEADER }], ['HTTP', 'SOURCE_IP_PORT', 'SOURCE_IP']],
  ['no affinity', [{ ...CERTIFICATE, ...HEADER }, 'TCP', 'None'], ['HTTP', 'SOURCE_IP_PORT', null]],
  ['a method of its own', [{ [`${L}lb-method`]: 'LEAST_CONNECTIONS' }, 'TCP', 'None'], ['TCP', 'LEAST_CONNECTIONS', null]],
  ['UDP with a certificate and a header', [{ ...CERTIFICATE, ...HEADER }, 'UDP'], ['HTTP', 'SOURCE_IP_PORT', 'SOURCE_IP'], 16, ['UDP', 'SOURCE_IP_PORT', 'SOURCE_IP']],
  ['UDP with PROXY', [PROXY, 'UDP', 'None'], ['PROXY', 'SOURCE_IP_PORT', null], 16, ['UDP', 'SOURCE_IP_PORT', null]],
] as readonly Case<Pool, readonly unknown[]>[]); // prettier-ignore

const id = (end: number) => `0f5c3c7a-51a4-4a55-9c8e-6d9d5f3b7e2${String(end)}`;
const WITH_CLASSES = { ...aConfig(undefined, { subnetId: id(1), networkId: id(2), memberSubnetId: id(3) }), loadBalancerClasses: { edge: { subnetId: id(4), networkId: id(5), memberSubnetId: id(6) } } }; // prettier-ignore
type Where = readonly ['subnet' | 'network' | 'member subnet', Record<string, string>];
table('which subnet and network', ([what, annotations]: Where) => {
  const { problems, read: it } = intent(Object.fromEntries(Object.entries(annotations).map(([name, value]) => [L + name, value])), {}, WITH_CLASSES);
  if (problems.some(({ blocking }) => blocking)) return 'blocked';
  return what === 'subnet' ? it.loadbalancer.vip_subnet_id : what === 'network' ? it.loadbalancer.vip_network_id : it.Service.memberSubnetId;
}, [
  ...(['subnet', 'network', 'member subnet'] as const).flatMap((what, at): Case<Where, string>[] => [
    [`${what} of cloud.conf`, [what, {}], id(at + 1)],
    [`${what} of the class`, [what, { class: 'edge' }], id(at + 4)],
    [`${what} of the annotation`, [what, { class: 'edge', [`${what.replace(' ', '-')}-id`]: id(9) }], id(9)],
  ]),
  ['subnet of an unknown class', ['subnet', { class: 'other' }], 'blocked'],
  ['member subnet of an unknown class', ['member subnet', { class: 'other' }], 'blocked'],
  ['member subnet beside an unknown class', ['member subnet', { class: 'other', 'member-subnet-id': id(9) }], id(9), 420, 'blocked'],
]); // prettier-ignore

table('the published name', (hostname: string) => {
  const { service, own } = intent({ [`${L}hostname`]: hostname });
  return desireIngress(readIntent(service, own), ['10.7.0.6'])[0]?.hostname;
}, [
  ['as it stands', 'web.example', 'web.example'],
  ['with capitals', 'Web.Example', 'Web.Example', 466, 'web.example'],
]); // prettier-ignore
const ofPort = (protocol: string) => as<LoadBalancerIngress>({ ip: '203.0.113.9', ipMode: 'VIP', ports: [{ port: 80, protocol }] }); // prettier-ignore
type Published = readonly [readonly LoadBalancerIngress[], readonly LoadBalancerIngress[]];
table('whether published addresses are the same', ([a, b]: Published) => sameIngress(a, b), [
  ['none', [[], []], true],
  ['the same ports', [[ofPort('TCP')], [ofPort('TCP')]], true],
  ['another protocol of a port', [[ofPort('TCP')], [ofPort('UDP')]], false],
]); // prettier-ignore
table('the port of health checks', (externalTrafficPolicy: string) => onePort({}, 'TCP', { externalTrafficPolicy, healthCheckNodePort: 31_777 }).port.healthPort, [
  ['Local', 'Local', 31_777],
  ['Cluster', 'Cluster', undefined],
] as readonly Case<string, number | undefined>[]); // prettier-ignore

const zone = ([annotations, availabilityZone]: readonly [Record<string, string>, string?]) =>
  intent(annotations, {}, aConfig(undefined, availabilityZone === undefined ? {} : { availabilityZone })).read
    .loadbalancer.availability_zone ?? '';
const ZONE = `${L}availability-zone`;
table('a text of annotation and cloud.conf', zone, [
  ['the annotation before cloud.conf', [{ [ZONE]: 'north-a' }, 'south-b'], 'north-a'],
  ['cloud.conf', [{}, 'south-b'], 'south-b'],
  ['the annotation alone', [{ [ZONE]: 'north-a' }], 'north-a'],
  ['neither', [{}], ''],
  ['another annotation', [{ other: 'x' }, 'south-b'], 'south-b'],
  ['another annotation alone', [{ other: 'x' }], ''],
]);

function ranges([annotation, spec]: readonly [string | undefined, (readonly string[])?]): {
  cidrs: readonly string[] | null;
  refused: boolean;
} {
  const value = annotation === undefined ? [] : as<{ value: never[] }>(sourceRanges(annotation)).value;
  const read = readSourceRanges(as({ spec: { loadBalancerSourceRanges: spec } }), value, {});
  const { cidrs, problems } = allowedRanges(as(read), [4]);
  return { cidrs, refused: problems.length > 0 };
}
const OTHERS = ['172.30.0.1/33', 'web.example', '172.30.0.1/32,*', '172.30.0.1'];
const isNamed = (given: readonly [string | undefined, (readonly string[])?]) => ranges(given).refused;
table('a source range that is none is named', isNamed, [
  ...OTHERS.flatMap((text): Case<readonly [string | undefined, (readonly string[])?], boolean>[] => [[`annotation ${text}`, [text], true], [`field ${text}`, [undefined, text.split(',')], true]]),
  ['annotation with a comma too many', ['172.30.0.1/32,'], true, 466, false],
  ['annotation with a comma and a blank too many', ['172.30.0.1/32, '], true, 466, false],
  ['field with an empty one', [undefined, ['172.30.0.1/32', '']], true],
  ['field with a blank', [undefined, ['172.30.0.1/32', ' ']], true],
]); // prettier-ignore
const RANGES = [['172.30.9.1/32', 1], ['172.30.9.1/32,172.30.9.1/32', 1], ['172.30.9.1/32,172.30.9.2/32', 2], ['  172.30.9.1/32 , 172.30.9.2/32   ', 2]] as const; // prettier-ignore
table('how many source ranges there are', (given: readonly [string | undefined, (readonly string[])?]) => ranges(given).cidrs?.length ?? 'all', [
  ...RANGES.flatMap(([text, count]): Case<readonly [string | undefined, (readonly string[])?], number | string>[] => [[`annotation ${text}`, [text], count], [`field ${text}`, [undefined, text.split(',')], count]]),
  ['none', [undefined], 'all'],
  ['an empty annotation', [''], 'all'],
  ['one', [undefined, ['172.30.0.1/32']], 1],
  ['two', [undefined, ['172.30.0.1/32', '172.30.0.2/32']], 2],
  ['one twice', [undefined, ['172.30.0.1/32', '172.30.0.1/32']], 1],
  ['everybody', [undefined, ['0.0.0.0/0']], 'all'],
  ['everybody by another address', [undefined, ['172.30.0.0/0']], 'all'],
  ['everybody beside one', [undefined, ['172.30.0.1/32', '0.0.0.0/0']], 'all'],
]); // prettier-ignore

const service = (spec: object = {}, uid = 'u') => {
  const { metadata, spec: own } = aStoredService(
    as({ spec: { ports: [{ name: 'web', port: 80, protocol: 'TCP', nodePort: 30080 }], ...spec } }),
  );
  return as<Parameters<typeof signOfService>[0]>({ metadata: { ...metadata, uid }, spec: own });
};
const port = (number: number, more: object = {}) => ({
  name: `p${number}`,
  port: number,
  protocol: 'TCP',
  nodePort: 31_000 + number,
  ...more,
});
type Specs = readonly [object, object];
table('whether a change of a Service is looked at', ([a, b]: Specs) => signOfService(service(a)) !== signOfService(service(b)), [
  ['its type', [{}, { type: 'ClusterIP' }], true],
  ['its ports', [{ ports: [port(801), port(901)] }, { ports: [port(802), port(902)] }], true],
  ['how many externalIPs', [{ externalIPs: ['192.0.2.61'] }, { externalIPs: ['192.0.2.62', '192.0.2.63'] }], true],
  ['its externalIPs', [{ externalIPs: ['192.0.2.61', '192.0.2.64'] }, { externalIPs: ['192.0.2.62', '192.0.2.63'] }], true],
  ['its traffic policy', [{}, { externalTrafficPolicy: 'Local' }], true],
  ['its port of health checks', [{}, { healthCheckNodePort: 31_777 }], true],
  ['the number of a port', [{ ports: [port(20)] }, { ports: [port(21)] }], true],
  ['the target of a port', [{ ports: [port(22)] }, { ports: [port(22, { targetPort: 'dns' })] }], true],
  ['nothing', [{}, {}], false],
  ['a second family', [{ ipFamilies: ['IPv4'] }, { ipFamilies: ['IPv4', 'IPv6'] }], true],
  ['a family less', [{ ipFamilies: ['IPv4', 'IPv6'] }, { ipFamilies: ['IPv4'] }], true],
  ['the same family', [{ ipFamilies: ['IPv6'] }, { ipFamilies: ['IPv6'] }], false],
  ['a protocol of the application', [{}, { ports: [port(80, { appProtocol: 'http' })] }], true],
  ['another protocol of the application', [{ ports: [port(80, { appProtocol: 'http' })] }, { ports: [port(80, { appProtocol: 'tcp' })] }], true],
]); // prettier-ignore
table('whether another Service of the name is looked at', ([a, b]: readonly [string, string]) => signOfService(service({}, a)) !== signOfService(service({}, b)), [
  ['its UID', ['one', 'two'], true],
]); // prettier-ignore

const KNOWN = new Set<string>(ANNOTATIONS.flatMap(({ names }) => [...names]));
const READ = 'node-selector connection-limit floating-network-id floating-subnet floating-subnet-id floating-subnet-tags class keep-floatingip port-id lb-method proxy-protocol subnet-id network-id member-subnet-id timeout-client-data timeout-member-connect timeout-member-data timeout-tcp-inspect x-forwarded-for flavor-id availability-zone enable-health-monitor health-monitor-delay health-monitor-timeout health-monitor-max-retries health-monitor-max-retries-down hostname default-tls-container-ref load-balancer-id'; // prettier-ignore
table('annotations that the peer reads', (name: string) => KNOWN.has(L + name), READ.split(' ').map((name): Case<string, boolean> => [name, name, true])); // prettier-ignore

table('search-order', (value: string) => (readCloudConf(`[Metadata]\nsearch-order = ${value}`, 'f').problems.length > 0 ? 'refused' : 'taken'), [
  ['one', 'configDrive', 'taken'],
  ['empty', '""', 'refused', 466, 'taken'],
  ['three', '"one,two,three"', 'refused'],
  ['another', 'another', 'refused'],
]); // prettier-ignore

const PROJECT =
  'domain-id = 8c1e\ndomain-name = inner\nuser-id = u\npassword = p\nauth-url = https://k.example/v3\n';
it.each([
  ['the domain of the user where the project names none', 'tenant-name = shop', { name: 'shop', domain: { id: '8c1e' } }],
  ['the name of its domain', 'tenant-name = shop\ntenant-domain-name = Own', { name: 'shop', domain: { name: 'Own' } }],
  ['name and id of its domain', 'tenant-name = shop\ntenant-domain-name = Own\ntenant-domain-id = own', { name: 'shop', domain: { id: 'own' } }],
  ['its id, whatever the domain', 'tenant-id = 77f0\ntenant-domain-name = Own', { id: '77f0' }],
])('the project of cloud.conf: %s', async (_name, lines, project) => {
  const { config } = await loadConfig({}, { LEVELSET_CLOUD_CONFIG_TEXT: `[Global]\n${PROJECT}${lines}` });
  expect(config.openstack.credentials).toMatchObject({ project });
}); // prettier-ignore
