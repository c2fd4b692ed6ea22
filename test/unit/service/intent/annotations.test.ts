/** Which texts annotations take, and which of several annotations counts; test/golden/annotations.txt has what each does. */
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const UUID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OCCM = 'loadbalancer.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';
const KINX = `${LEGACY}kinx-load-balancer-`;
const OWN = 'levelset.openstack.org/';
const CIPHERS = 'ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384';

/** One annotation of each kind of text: a text that is read, as what, and texts that are refused. */
// prettier-ignore
const TEXTS: [name: string, text: string, value: unknown, ...refused: string[]][] = [
  [`${OCCM}load-balancer-id`, ` ${UUID.toUpperCase()} `, UUID, `${UUID}&name=x`],
  [`${OCCM}load-balancer-id`, '', '', 'x'],
  [`${OWN}load-balancer-name`, 'cluster/edge', 'cluster/edge', 'other/edge,x', 'Edge', '-a', ''],
  [`${OCCM}member-subnet-id`, UUID.replaceAll('-', ''), UUID.replaceAll('-', ''), '../subnets', 'private', `${UUID}/`],
  [`${OCCM}lb-method`, 'least_connections', 'LEAST_CONNECTIONS', 'RANDOM', ''],
  [`${OWN}vip-sg-ids`, `${UUID}, ${UUID}`, [UUID, UUID], 'default', `${UUID},x`, ','],
  [`${OWN}flavor`, ' Large with ACL ', 'Large with ACL', 'a\nb', '', 'x'.repeat(256)],
  [`${OCCM}availability-zone`, 'az-1', 'az-1', 'az 1', '-a'],
  [`${OCCM}timeout-client-data`, '2073600000', 2_073_600_000, '2073600001', '-1', '5s', '1e3', '1.5'],
  [`${OCCM}timeout-tcp-inspect`, '+1', 1],
  [`${OWN}protocol`, 'HTTP', 'http', 'spdy'],
  [`${OCCM}x-forwarded-for`, ' True', true, '1', 'yes', ''],
  [`${OCCM}enable-ingress-hostname`, 'true', true, 'True', 'on'],
  [`${OWN}insert-headers`, 'X-Forwarded-For,x-forwarded-proto, X-SSL-Client-CN', ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-SSL-Client-CN'], 'X-Evil'],
  [`${OWN}session-persistence`, 'app_cookie JSESSIONID', { type: 'APP_COOKIE', cookie_name: 'JSESSIONID' }, 'APP_COOKIE', 'APP_COOKIE a b', 'APP_COOKIE a;b', 'SOURCE_IP x'],
  [`${OWN}session-persistence`, 'none', null],
  [`${OWN}approve`, 'aaaaaaaaaaaa, 0123456789ab', ['aaaaaaaaaaaa', '0123456789ab'], 'all', 'aaaaaaaaaaaaa'],
  [`${OWN}tls-container-refs`, `${UUID}, https://x:9311/v1/secrets/${UUID}`, [UUID, `https://x:9311/v1/secrets/${UUID}`], '../x', '-----BEGIN PRIVATE KEY-----'],
  [`${OWN}tls-secret`, 'web-tls, www.example.org', ['web-tls', 'www.example.org'], '../kube-system/x', 'x/y', 'A'],
  [`${OWN}tls-versions`, 'TLSv1.2,tlsv1.3', ['TLSv1.2', 'TLSv1.3'], '1.3', 'SSLv2'],
  [`${OWN}tls-ciphers`, CIPHERS, CIPHERS, 'ALL crt /etc/x', '!aNULL', `${CIPHERS}:`],
  [`${OWN}alpn-protocols`, 'h2,http/1.1', ['h2', 'http/1.1'], 'h3'],
  [`${OCCM}proxy-protocol`, 'v1', 'PROXY', 'v3', '1'],
  [`${KINX}proxy-protocol`, 'V2', 'PROXYV2', 'yes'],
  [`${OCCM}proxy-protocol`, 'False', null],
  [`${OWN}redirect-host`, 'App.example.org', 'app.example.org', 'app example\nacl x', '192.0.2.1', 'a_b', '', 'x'.repeat(64)],
  [`${OWN}redirect-http-code`, '308', 308, '200', '304'],
  [`${OWN}monitor-url-path`, '/healthz?full=1', '/healthz?full=1', 'healthz', '/a b', '/#'],
  [`${OWN}monitor-expected-codes`, '200, 204', '200,204', '2xx', '200-', '600'],
  [`${OWN}monitor-http-version`, '1.1', 1.1, '2'],
  [`${OCCM}health-monitor-max-retries`, '10', 10, '11', '0'],
  [`${OCCM}class`, 'Internet 2', 'Internet 2', 'a\u0000'],
  [`${OWN}member-weights`, 'node-a=10, node-b.example.org=0', { 'node-a': 10, 'node-b.example.org': 0 }, 'node-a=257', 'a=1,a=2', 'a', 'a=-1', ''],
  [`${OWN}backup-members`, 'node-c', ['node-c'], 'node c/../d'],
  [`${OWN}tags`, 'paid, by the shop ,paid', ['paid', 'by the shop'], 'paid,levelset-cluster=x', 'kube_service_kubernetes_shop_web', 'a\u0007', 'x'.repeat(129), ','],
  [`${OWN}description`, ' Our shop ', 'Our shop', 'x | Kubernetes external service other/web from cluster y', 'x,lb_version:1.1', 'x'.repeat(97)],
  [`${OCCM}node-selector`, 'pool=edge,ssd', { pool: 'edge', ssd: '' }, 'pool in (edge)'],
  [`${LEGACY}load-balancer-source-ranges`, '10.0.0.0/8, 192.0.2.0/24', ['10.0.0.0/8', '192.0.2.0/24']],
];

test.each<(typeof TEXTS)[number]>(TEXTS)('%s reads %j as %j', (name, text, value, ...refused) => {
  const parse = ANNOTATIONS.find(({ names }) => names.includes(name))?.parse;
  expect(parse?.(text)).toEqual({ value });
  expect(refused.filter((one) => 'value' in (parse?.(one) ?? {}))).toEqual([]);
});

const PORTS = [
  { name: 'web', port: 80 },
  { name: 'secure', port: 443 },
];

const read = (annotations: Record<string, string>, config = aConfig()) =>
  readIntent(aStoredService({ annotations, spec: { ports: PORTS } }), config).annotated;
const problemsOf = (annotations: Record<string, string>) =>
  read(annotations).problems.map(({ field, value }) => `${field} ${value}`);
const protocols = (annotations: Record<string, string>): readonly unknown[] =>
  read(annotations).ports.map(({ ServicePort }) => ServicePort.protocol);

test('annotations of others, and what controllers write, are no problem', () => {
  const written = [`${OCCM}load-balancer-id`, `${OCCM}load-balancer-address`, `${KINX}id`, 'example.org/x'];
  expect(problemsOf(Object.fromEntries(written.map((name) => [name, UUID])))).toEqual([]);
});

describe('a port', () => {
  test('is named by its number or by its name, and goes before what is for all', () => {
    const byNumber = { [`${OWN}protocol`]: 'tcp', [`${OWN}protocol.443`]: 'https' };
    const byName = { [`${OWN}protocol.secure`]: 'https' };
    expect([byNumber, byName].map(protocols)).toEqual([
      ['tcp', 'https'],
      [undefined, 'https'],
    ]);
    expect([byNumber, byName].flatMap(problemsOf)).toEqual([]);
  });

  const ODD = [`${OWN}protocol.8080`, `${OCCM}lb-method.443`];
  test.each(ODD)('%s, which the Service lacks, or another controller did not know, is a problem', (name) => {
    expect(problemsOf({ [name]: 'http' })).toEqual([`${name} http`]);
  });
});

test('two spellings may say the same; what the second says otherwise is a problem', () => {
  const both = (other: string) => ({ [`${OWN}protocol`]: 'http', [`${KINX}backend-protocol`]: other });
  expect(problemsOf(both('http'))).toEqual([]);
  expect(problemsOf(both('tcp'))).toEqual([`${KINX}backend-protocol tcp`]);
  expect(protocols(both('tcp'))).toEqual(['http', 'http']);
});

const OF_CLOUD_CONF = {
  ...{ subnetId: UUID, networkId: UUID, memberSubnetId: UUID, flavorId: UUID, availabilityZone: 'az' },
  ...{ floatingNetworkId: UUID, floatingSubnetId: UUID, defaultTlsContainerRef: UUID },
};
/** What any annotation of kinx brings else. */
const given = ['createMonitor', 'monitorDelay', 'monitorTimeout', 'monitorMaxRetries'];
const ROWS = ANNOTATIONS.flatMap((row) => row.names.map((name) => [name, row] as const));

/** As charts render it. */
const EMPTY = ROWS.filter(
  ([name, row]) => !name.startsWith(OWN) && (row.orNone ?? !('value' in row.parse(''))),
);

test.each(EMPTY)('%s that is empty is none, or as if it were not there', (name, { on, sets, orNone }) => {
  const valueOf = (annotations: Record<string, string>): unknown => {
    const { problems, ports, ...common } = read(annotations, { ...aConfig(undefined, OF_CLOUD_CONF), given });
    expect(problems).toEqual([]);
    return ({ ...ports[0], ...common } as Readonly<Record<string, object>>)[on]?.[sets as never];
  };
  expect(valueOf({ [name]: ' ' })).toEqual(orNone ? undefined : valueOf({}));
});
