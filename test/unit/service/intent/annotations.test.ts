import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { readAnnotations, type Annotated } from '../../../../shared/service/intent/read-annotations.ts';
import { aConfig } from '../../../support/config.ts';

const UUID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OCCM = 'loadbalancer.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';
const KINX = `${LEGACY}kinx-load-balancer-`;
const OWN = 'levelset.openstack.org/';

/** One row per annotation: what is taken, as what, and what is refused. */
// prettier-ignore
const ROWS: readonly (readonly [key: string, good: string, value: unknown, bad: string | undefined])[] = [
  [`${OCCM}load-balancer-id`, ` ${UUID.toUpperCase()} `, UUID, `${UUID}&name=x`],
  [`${OWN}load-balancer-name`, 'cluster/edge', 'cluster/edge', 'other/edge,x'],
  [`${OCCM}subnet-id`, UUID, UUID, '../subnets'],
  [`${OCCM}network-id`, UUID.toUpperCase(), UUID, 'private'],
  [`${OCCM}member-subnet-id`, UUID.replaceAll('-', ''), UUID.replaceAll('-', ''), 'a'],
  [`${OCCM}lb-method`, 'LEAST_CONNECTIONS', 'LEAST_CONNECTIONS', 'RANDOM'],
  [`${OCCM}port-id`, UUID, UUID, 'eth0'],
  [`${OWN}additional-vip-subnet-ids`, `${UUID}, ${UUID}`, [UUID, UUID], 'private-v6'],
  [`${OWN}vip-qos-policy-id`, UUID, UUID, 'bronze'],
  [`${OWN}vip-sg-ids`, UUID, [UUID], 'default'],
  [`${OCCM}flavor-id`, UUID, UUID, 'large'],
  [`${OWN}flavor`, ' Large with ACL ', 'Large with ACL', 'a\nb'],
  [`${OCCM}availability-zone`, 'az-1', 'az-1', 'az 1'],
  [`${OCCM}timeout-client-data`, '2073600000', 2_073_600_000, '2073600001'],
  [`${OCCM}timeout-member-connect`, '5000', 5000, '5s'],
  [`${OCCM}timeout-member-data`, '60000', 60_000, '86400001s'],
  [`${OCCM}timeout-tcp-inspect`, '+1', 1, '-1'],
  [`${OWN}protocol`, 'HTTP', 'http', 'spdy'],
  [`${KINX}backend-protocol`, 'Terminated_HTTPS', 'terminated_https', 'tls'],
  [`${OCCM}x-forwarded-for`, 'true', true, '1'],
  [`${OCCM}x-forwarded-port`, 'true', true, 'yes'],
  [`${OCCM}x-forwarded-proto`, 'false', false, 'https'],
  [`${OWN}insert-headers`, 'X-Forwarded-For,x-forwarded-proto, X-SSL-Client-CN', ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-SSL-Client-CN'], 'X-Evil'],
  [`${OWN}session-persistence`, 'app_cookie JSESSIONID', { type: 'APP_COOKIE', cookie_name: 'JSESSIONID' }, 'APP_COOKIE'],
  [`${OWN}drift`, 'Report', 'report', 'never'],
  [`${OWN}approve`, 'aaaaaaaaaaaa, 0123456789ab', ['aaaaaaaaaaaa', '0123456789ab'], 'all'],
  [`${OWN}tls-container-refs`, `${UUID}, https://x:9311/v1/secrets/${UUID}`, [UUID, `https://x:9311/v1/secrets/${UUID}`], '../x'],
  [`${OCCM}default-tls-container-ref`, UUID, [UUID], '-----BEGIN PRIVATE KEY-----'],
  [`${KINX}tls-container-ids`, `${UUID} ,${UUID}`, [UUID, UUID], ','],
  [`${OWN}tls-secret`, 'web-tls, www.example.org', ['web-tls', 'www.example.org'], '../kube-system/x'],
  [`${OWN}tls-versions`, 'TLSv1.2,tlsv1.3', ['TLSv1.2', 'TLSv1.3'], '1.3'],
  [`${KINX}low-tlsv`, 'true', true, 'no'],
  [`${OWN}tls-ciphers`, 'ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384', 'ALL crt /etc/x'],
  [`${OWN}alpn-protocols`, 'h2,http/1.1', ['h2', 'http/1.1'], 'h3'],
  [`${OWN}client-authentication`, 'mandatory', 'MANDATORY', 'true'],
  [`${OWN}client-ca-tls-container-ref`, UUID, UUID, ''],
  [`${OWN}client-crl-container-ref`, UUID, UUID, 'a b'],
  [`${OWN}hsts-max-age`, '31536000', 31_536_000, '1y'],
  [`${OWN}hsts-include-subdomains`, 'true', true, 'yes'],
  [`${OWN}hsts-preload`, 'false', false, '0'],
  [`${OWN}pool-tls`, 'true', true, 'on'],
  [`${OWN}pool-ca-tls-container-ref`, UUID, UUID, ''],
  [`${OWN}pool-tls-container-ref`, UUID, UUID, '"'],
  [`${OWN}pool-tls-versions`, 'TLSv1.3', ['TLSv1.3'], 'SSLv2'],
  [`${OWN}pool-tls-ciphers`, 'AES128-SHA', 'AES128-SHA', '!aNULL'],
  [`${OCCM}proxy-protocol`, 'v2', 'PROXYV2', 'v3'],
  [`${KINX}proxy-protocol`, 'true', 'PROXY', 'yes'],
  [`${KINX}healthcheck-interval`, '7', 7, '0'],
  [`${KINX}healthcheck-timeout`, '3', 3, 'x'],
  [`${KINX}healthcheck-retry`, '2', 2, '11'],
  [`${OWN}redirect-http`, 'true', true, '308'],
  [`${KINX}redirect-http`, 'true', true, 'x'],
  [`${OWN}redirect-host`, 'App.example.org', 'app.example.org', 'app example\nacl x'],
  [`${OWN}redirect-http-code`, '308', 308, '200'],
  [`${OWN}monitor-type`, 'http', 'HTTP', 'ICMP'],
  [`${OWN}monitor-url-path`, '/healthz?full=1', '/healthz?full=1', 'healthz'],
  [`${OWN}monitor-expected-codes`, '200, 204', '200,204', '2xx'],
  [`${OWN}monitor-http-method`, 'head', 'HEAD', 'BREW'],
  [`${OWN}monitor-http-version`, '1.1', 1.1, '2'],
  [`${OWN}monitor-domain-name`, 'app.example.org', 'app.example.org', 'app example'],
  [`${OCCM}connection-limit`, '1000', 1000, '1e3'],
  [`${OCCM}floating-network-id`, UUID, UUID, 'public'],
  [`${OCCM}floating-subnet-id`, UUID, UUID, '*'],
  [`${OCCM}floating-subnet`, ' !public-* ', '!public-*', '~('],
  [`${OCCM}floating-subnet-tags`, '&a,b', '&a,b', 'a,,b'],
  [`${OCCM}class`, 'internet', 'internet', 'a\u0000'],
  [`${OWN}member-weights`, 'node-a=10, node-b.example.org=0', { 'node-a': 10, 'node-b.example.org': 0 }, 'node-a=257'],
  [`${OWN}backup-members`, 'node-c', ['node-c'], 'node c/../d'],
  [`${OWN}tags`, 'paid, by the shop ,', ['paid', 'by the shop'], 'paid,levelset-cluster=x'],
  [`${OCCM}load-balancer-tags`, 'a', ['a'], 'kube_service_kubernetes_shop_web'],
  [`${OWN}listener-tags`, 'a,b', ['a', 'b'], ','],
  [`${OCCM}listener-tags`, 'a,a', ['a'], 'x'.repeat(129)],
  [`${OWN}pool-tags`, 'a', ['a'], 'a\u0007'],
  [`${OCCM}pool-tags`, 'a', ['a'], 'levelset-port=tcp/80'],
  [`${OWN}description`, ' Our shop ', 'Our shop', 'x | Kubernetes external service other/web from cluster y'],
  [`${OCCM}enable-ingress-hostname`, 'true', true, 'on'],
  [`${OCCM}node-selector`, 'pool=edge,ssd', { pool: 'edge', ssd: '' }, 'pool in (edge)'],
  [`${OCCM}health-monitor-delay`, '7', 7, '0'],
  [`${OCCM}health-monitor-timeout`, '2', 2, '2s'],
  [`${OCCM}health-monitor-max-retries`, '10', 10, '11'],
  [`${OCCM}health-monitor-max-retries-down`, '1', 1, '-1'],
  [`${OCCM}enable-health-monitor`, 'false', false, 'no'],
  [`${LEGACY}openstack-internal-load-balancer`, 'true', true, 'yes'],
  [`${OCCM}keep-floatingip`, 'True', true, '1'],
  [`${OCCM}hostname`, 'App.example.org', 'app.example.org', '192.0.2.1'],
  [`${LEGACY}load-balancer-source-ranges`, '10.0.0.0/8, 192.0.2.0/24', ['10.0.0.0/8', '192.0.2.0/24'], undefined],
];

const PORTS = [
  { name: 'web', port: 80 },
  { name: 'secure', port: 443 },
];

const read = (annotations: Record<string, string>, config = aConfig(), last?: string): Annotated => {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', annotations };
  return readAnnotations({ metadata, spec: { ports: PORTS } }, config, last);
};

type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const valuesOf = (annotated: Annotated): Values =>
  ({ ...annotated.ports[0], ...annotated }) as unknown as Values;

const valueOf = (key: string, annotations: Record<string, string>): unknown => {
  const row = ANNOTATIONS.find((candidate) => candidate.names.includes(key));
  return row && valuesOf(read(annotations))[row.on]?.[row.sets];
};

describe.each(ROWS)('%s', (key, good, value, bad) => {
  test(`takes ${good}`, () => {
    expect(valueOf(key, { [key]: good })).toEqual(value);
    expect(read({ [key]: good }).problems).toEqual([]);
  });

  // source ranges are judged where they are used (ports.test.ts)
  test.runIf(bad !== undefined)(
    `refuses ${JSON.stringify(bad)}, says why, and does what its row says`,
    () => {
      const isDefault = ANNOTATIONS.find(({ names }) => names.includes(key))?.unreadable === 'default';
      const { problems } = read({ [key]: bad ?? '' });
      expect(problems).toMatchObject([{ field: key, value: bad }]);
      expect(problems[0]?.blocking).toBe(isDefault ? undefined : true);
      expect(valueOf(key, { [key]: bad ?? '' })).toEqual(isDefault ? valueOf(key, {}) : undefined);
    },
  );
});

test.each(
  ANNOTATIONS.flatMap(({ names, parse, example }) => names.map((name) => [name, parse, example] as const)),
)('the example of %s is one', (_name, parse, example) => {
  expect(parse(example.replace(/^[A-Z_]+_ID$/, UUID))).toHaveProperty('value');
});

test('every annotation of the table has its row here', () => {
  expect(ROWS.map(([key]) => key).sort()).toEqual(ANNOTATIONS.flatMap(({ names }) => names).sort());
});

test('three mistakes make three problems, and the fourth annotation still counts', () => {
  const { problems, ports } = read({
    [`${OCCM}lb-method`]: 'x',
    [`${OCCM}connection-limit`]: 'x',
    [`${OCCM}proxy-protocol`]: 'v3',
    [`${OCCM}health-monitor-delay`]: '9',
  });
  expect(problems.map(({ field }) => field).sort()).toEqual([
    `${OCCM}connection-limit`,
    `${OCCM}lb-method`,
    `${OCCM}proxy-protocol`,
  ]);
  expect(ports.map(({ healthmonitor }) => healthmonitor.delay)).toEqual([9, 9]);
});

test('annotations of others, and our own output, are no problem', () => {
  const others = {
    'example.org/x': '1',
    [`${OCCM}load-balancer-id`]: UUID,
    [`${OCCM}load-balancer-address`]: '192.0.2.1',
    [`${KINX}id`]: UUID,
  };
  expect(read(others).problems).toEqual([]);
});

describe('a port', () => {
  const protocols = (annotations: Record<string, string>): readonly unknown[] =>
    read(annotations).ports.map(({ ServicePort }) => ServicePort.protocol);

  test('is named by its number or by its name, and goes before what is for all', () => {
    expect(protocols({ [`${OWN}protocol`]: 'tcp', [`${OWN}protocol.443`]: 'https' })).toEqual([
      'tcp',
      'https',
    ]);
    expect(protocols({ [`${OWN}protocol.secure`]: 'https' })).toEqual([undefined, 'https']);
    expect(read({ [`${OWN}protocol.secure`]: 'https' }).problems).toEqual([]);
  });

  test('that the Service does not have is a problem', () => {
    expect(read({ [`${OWN}protocol.8080`]: 'http' }).problems).toMatchObject([
      { field: `${OWN}protocol.8080` },
    ]);
  });

  test('cannot be named in an annotation of another controller', () => {
    expect(read({ [`${OCCM}lb-method.443`]: 'SOURCE_IP' }).problems).toHaveLength(1);
  });
});

test('two spellings may say the same; what the second says otherwise is a problem', () => {
  const both = (other: string): Annotated =>
    read({ [`${OWN}protocol`]: 'http', [`${KINX}backend-protocol`]: other });
  expect(both('http').problems).toEqual([]);
  expect(both('tcp').problems).toMatchObject([{ field: `${KINX}backend-protocol`, value: 'tcp' }]);
  expect(both('tcp').ports[0]?.ServicePort.protocol).toBe('http');
});

test.each(ANNOTATIONS.filter(({ orNone }) => orNone))(
  '$sets is none where OCCM’s spelling is empty',
  (row) => {
    const name = row.names.find((one) => one.startsWith(OCCM)) ?? '';
    const config = aConfig(undefined, {
      subnetId: UUID,
      networkId: UUID,
      memberSubnetId: UUID,
      flavorId: UUID,
      availabilityZone: 'az',
      floatingNetworkId: UUID,
      floatingSubnetId: UUID,
      defaultTlsContainerRef: UUID,
    });
    const annotated = read({ [name]: '' }, config);
    expect(annotated.problems).toEqual([]);
    expect(valuesOf(annotated)[row.on]).not.toHaveProperty(row.sets);
  },
);

test.each(
  ANNOTATIONS.filter(({ orNone, parse }) => !orNone && !('value' in parse(''))).flatMap(({ names }) =>
    names.filter((name) => !name.startsWith(OWN)),
  ),
)('%s is as if it were not there where it is empty, as charts render it', (key) => {
  expect(read({ [key]: ' ' }).problems).toEqual([]);
  expect(valueOf(key, { [key]: ' ' })).toEqual(valueOf(key, {}));
});

describe('a node-selector that cannot be read', () => {
  const key = `${OCCM}node-selector`;
  const config = aConfig(undefined, { nodeSelector: { general: '' } });
  const readAfter = (last?: string): Annotated => read({ [key]: 'zone notin (b)' }, config, last);

  test('is the last one that could be read, and the Service goes on', () => {
    const { Service, problems } = readAfter('zone=a');
    expect(Service.nodeSelector).toEqual({ zone: 'a' });
    expect(problems).toMatchObject([
      { field: key, message: expect.stringContaining('goes on with zone=a') as string },
    ]);
    expect(problems[0]).not.toHaveProperty('blocking');
    expect(readAfter('').Service.nodeSelector).toEqual({});
  });

  test('is none, neither all Nodes nor those of cloud.conf, where none was read before', () => {
    expect(readAfter().Service).not.toHaveProperty('nodeSelector');
    expect(readAfter().problems).toMatchObject([{ field: key, blocking: true }]);
  });
});
