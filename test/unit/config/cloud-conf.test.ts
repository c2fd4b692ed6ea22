import { describe, expect, it } from 'vitest';
import { readCloudConf } from '../../../shared/config/cloud-conf/cloud-conf.ts';
import { loadConfig } from '../../../shared/config/load.ts';

const ID = '01234567-89ab-cdef-0123-456789abcdef';
const read = (...lines: readonly string[]) => readCloudConf(lines.join('\n'), 'cloud.conf');

it('an empty cloud.conf has the defaults of OCCM, as docs/reference/cloud-conf.md lists them', () => {
  const { loadBalancer, ...rest } = read();
  expect(rest).toMatchObject({ access: {}, problems: [], warnings: [], given: [], loadBalancerClasses: {} });
  expect(loadBalancer).toMatchObject({
    ...{ enabled: true, lbProvider: 'amphora', containerStore: 'barbican' },
    ...{ createMonitor: false, monitorDelay: 5, monitorMaxRetriesDown: 3 },
  });
});

describe('a value', () => {
  it.each([
    ['lb-provider = ovn', { lbProvider: 'ovn' }],
    ['lb-version =', {}],
    ['LB-Method = SOURCE_IP_PORT', { lbMethod: 'SOURCE_IP_PORT' }],
    [`subnet-id = "${ID.toUpperCase()} "`, { subnetId: ID }],
    ['subnet-id =', {}],
    [`member-subnet-id = ${ID}`, { memberSubnetId: ID }],
    [`network-id = ${ID}`, { networkId: ID }],
    [`floating-network-id = ${ID}`, { floatingNetworkId: ID }],
    [`floating-subnet-id = ${ID}`, { floatingSubnetId: ID }],
    ['floating-subnet = "~public-\\\\d+"', { floatingSubnet: '~public-\\d+' }],
    ['floating-subnet-tags = &a, b', { floatingSubnetTags: '&a, b' }],
    ['node-selector = pool=edge, ssd', { nodeSelector: { pool: 'edge', ssd: '' } }],
    ['enable-ingress-hostname', { enableIngressHostname: true }],
    ['ingress-hostname-suffix = .Example.org', { ingressHostnameSuffix: 'example.org' }],
    ['monitor-delay = 1m30s', { monitorDelay: 90 }],
    ['monitor-delay = 2900ms', { monitorDelay: 2 }],
    ['monitor-max-retries = 0x0A', { monitorMaxRetries: 10 }],
    ['internal-lb = YES', { internalLb: true }],
    ['manage-security-groups = false\nenabled\nmax-shared-lb = 2', {}],
  ])('of [LoadBalancer] is read: %j', (line, loadBalancer) => {
    expect(read('[loadbalancer]', line)).toMatchObject({ loadBalancer, problems: [], warnings: [] });
  });

  it.each<readonly [string, object]>([
    ['ipv6-support-disabled', { ipv6SupportDisabled: true }],
    ['public-network-name = b\nPublic-Network-Name = a', { publicNetworkName: ['b', 'a'] }],
    ['public-network-name = a\n[networking]\npublic-network-name = a', { publicNetworkName: ['a'] }],
    // a comma is a part of a name
    ['internal-network-name = "a, b "', { internalNetworkName: ['a, b '] }],
    ['address-sort-order = 10.1.2.3/16, ,FD00::1/64', { addressSortOrder: ['10.1.0.0/16', 'fd00::/64'] }],
    ['address-sort-order = 10.0.0.0/8\naddress-sort-order = ::/0', { addressSortOrder: ['::/0'] }],
  ])('of [Networking] is read: %j', (lines, expected) => {
    expect(read('[Networking]', lines)).toMatchObject({ networking: expected, problems: [], warnings: [] });
  });

  // prettier-ignore
  it.each([
    ['[LoadBalancer]\nmonitor-delay = 5', 'monitor-delay has a value that is not allowed: give a duration with a unit'],
    ['[LoadBalancer]\nmonitor-delay = 10ms', 'at least 1s'],
    ['[LoadBalancer]\nmonitor-timeout', 'monitor-timeout has no value: give a duration'],
    ['[LoadBalancer]\nmonitor-max-retries-down = 11', 'a whole number from 1 to 10'],
    ['[LoadBalancer]\ncreate-monitor = maybe', 'give true, yes, on, 1, false, no, off or 0'],
    ['[LoadBalancer]\nlb-method = FASTEST', 'one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT'],
    ['[LoadBalancer]\nlb-version = v1', 'lb-version'],
    ['[LoadBalancer]\nsubnet-id', 'subnet-id has no value: give the UUID of a resource'],
    ['[LoadBalancer]\nfloating-subnet = ~(', 'floating-subnet has a value that is not allowed: give ~ and a regular expression'],
    ['[LoadBalancer]\nfloating-subnet-tags = a,,b', 'give tags with commas'],
    ['[LoadBalancer]\nnode-selector = pool in (a)', 'give labels such as pool=edge,ssd'],
    ['[LoadBalancer]\ningress-hostname-suffix = nip_io', 'a DNS name'],
    ['[LoadBalancerClass "a\\"b"]\nmember-subnet-id = x', '[LoadBalancerClass] member-subnet-id has a value that is not allowed: give the UUID of a resource'],
    ['[Networking]\npublic-network-name', 'has no value: give a value after ='],
    ['[Networking]\naddress-sort-order', 'has no value: give a value after ='],
    ['[Route]\nrouter-id = edge', '[Route] router-id has a value that is not allowed: give the UUID of a resource'],
    ['[Metadata]\nrequest-timeout = 5', 'request-timeout has a value that is not allowed: give a duration'],
    ['[Metadata]\nsearch-order', 'search-order has no value: give configDrive, metadataService, or both'],
    ['[Metadata]\nsearch-order = configDrive,metadataService,configDrive', 'give configDrive'],
    ['[Global]\npassword = hun\\ter2', 'outside double quotes'],
  ])('is refused by its line: %j', (source, says) => {
    const { problems } = read('', source);
    expect(problems).toEqual([expect.stringMatching(/^cloud\.conf:3: /)]);
    expect(problems[0]).toContain(says);
    expect(problems[0]).not.toContain('hun');
  });

  it.each([
    ['a b', 'a b'],
    ['p#ss', 'p'],
    ['"p#s;s" # note', 'p#s;s'],
    ['a" b "c', 'a b c'],
    ["'v'", "'v'"],
    ['"a\\\\b\\"c\\nd\\te"', 'a\\b"c\nd\te'],
    ['a\\\n  b', 'a  b'],
    ['a=b', 'a=b'],
    ['"" ; note', undefined],
  ])('is read as gcfg reads it: %j is %j', (text, value) => {
    const { loadBalancer, problems } = read('[LoadBalancer]', `availability-zone = ${text}`);
    expect([loadBalancer.availabilityZone, problems]).toEqual([value, []]);
  });

  it('that is not allowed is told and stops nothing where levelset makes no load balancers', () => {
    const lines = ['[LoadBalancerClass "a"]', 'subnet-id = x', '[LoadBalancer]', 'network-id = y'];
    expect(read(...lines, 'enabled = false')).toMatchObject({
      problems: [],
      warnings: [
        expect.stringContaining('enabled is false'),
        'cloud.conf:2: [LoadBalancerClass] subnet-id has a value that is not allowed: give the UUID of a resource',
        'cloud.conf:4: [LoadBalancer] network-id has a value that is not allowed: give the UUID of a resource',
      ],
    });
    expect(read(...lines).problems).toHaveLength(2);
  });
});

// prettier-ignore
it.each([
  ['[LoadBalancer]\nlb-methd = X', '2: [LoadBalancer] has no option of this name; levelset ignores it; did you mean lb-method?'],
  ['[LoadBalancer]\nenabled = no', '2: [LoadBalancer] enabled is false: levelset makes, changes and deletes no load balancer'],
  ['[LoadBalancer]\ncascade-delete = false', '2: [LoadBalancer] cascade-delete has no effect: levelset deletes a load balancer by one call if everything on it is its own'],
  ['[LoadBalancer]\nprovider-requires-serial-api-calls', '2: [LoadBalancer] provider-requires-serial-api-calls has no effect: levelset makes a load balancer by one call'],
  ['[Networking]\naddress-sort-order = 10.0.0.1, ::/0, x/8', '2: [Networking] address-sort-order has items that are not CIDRs; levelset ignores them (items 1, 3)'],
  ['[Router]', '1: levelset does not know this section, and ignores it; did you mean Route?'],
  ['[LoadBalancerClass]\nsubnet-id = y', '1: [LoadBalancerClass] needs a name, such as [LoadBalancerClass "internet"]; levelset ignores this one'],
  ['[Global "a"]\nx = y', '1: [Global] has no subsections; levelset ignores this one'],
  ['[BlockStorage]\nbs-version = v3', undefined],
  ['[Metadata]\nsearch-order = metadataService , configDrive', undefined],
])('what has no effect gives a warning: %j', (source, warning) => {
  const warnings = warning === undefined ? [] : [`cloud.conf:${warning}`];
  expect(read(source)).toMatchObject({ warnings, problems: [] });
});

it.each([
  ...['1k = v', '= v', '"k" = v', 'k_x = v', 'k v', 'k = a\\b', 'k = "a\\b"'],
  ...['[a.b]', '[a ""]', '[1]', '[a', '[a] k = v', '[a "b\\n"]'],
])('a line that is none is told by its number; what is below such a header belongs nowhere: %j', (line) => {
  const lines = ['[LoadBalancer]', 'lb-provider = o\\', 'vn', line, 'monitor-delay = 9s'];
  const { problems, loadBalancer } = read(...lines);
  expect(problems).toEqual([expect.stringMatching(/^cloud\.conf:4: /)]);
  expect(loadBalancer).toMatchObject({ lbProvider: 'ovn', monitorDelay: line.startsWith('[') ? 5 : 9 });
  expect(read('k = v').problems).toEqual(['cloud.conf:1: this stands before the first [section]']);
});

it.each([
  ['\uFEFF[ LoadBalancerClass "a"] # note\r', 'a'],
  ['[loadbalancerclass "Sub#1" ] ; c', 'Sub#1'],
  ['[LoadBalancerClass "x\\"y\\\\z"]', 'x"y\\z'],
])('the header %j is read', (line, name) => {
  const { loadBalancerClasses, problems } = read(line, `subnet-id = ${ID}`);
  expect([loadBalancerClasses, problems]).toEqual([{ [name]: { subnetId: ID } }, []]);
});

it('a [LoadBalancerClass "name"] may stand there any number of times', () => {
  const conf = read(
    '[LoadBalancerClass "internet"]',
    `Floating-Network-ID = ${ID}`,
    '[loadbalancerclass "DMZ"]',
    `subnet-id = ${ID}`,
    'network-id =',
    '[LoadBalancerClass "empty"]',
    '[LoadBalancerClass "internet"]',
    'floating-subnet-tags = !a',
  );
  expect(conf).toMatchObject({ problems: [], warnings: [] });
  expect(conf.loadBalancerClasses).toEqual({
    internet: { floatingNetworkId: ID, floatingSubnetTags: '!a' },
    DMZ: { subnetId: ID },
    empty: {},
  });
});

it('[Global], [Metadata] and [Route] say how to reach OpenStack, and which router has the routes', () => {
  const conf = read(
    '[Global]',
    'os-endpoint-type = internal',
    'password = "a#b"',
    'use-clouds',
    'cloud = c',
    'clouds-file = /f',
    'ca-file =',
    '[Metadata]',
    'request-timeout = 5s',
    '[Route]',
    `router-id = ${ID.toUpperCase()}`,
  );
  expect(conf).toMatchObject({
    global: { useClouds: true, cloud: 'c', cloudsFile: '/f' },
    metadata: { requestTimeout: 5_000 },
    route: { routerId: ID },
    problems: [],
  });
  expect(conf.access).toEqual({ interface: 'internal', password: 'a#b' });
});

const BY_NAME = 'username = u; password = p; tenant-name = t';
const byName = (user: object, project: object) => ({
  ...{ type: 'password', password: 'p' },
  ...{ user: { name: 'u', domain: user }, project: { name: 't', domain: project } },
});
// prettier-ignore
it.each([
  ['user-id = u; password = p; tenant-id = t', { type: 'password', password: 'p', user: { id: 'u' }, project: { id: 't' } }],
  [`${BY_NAME}; domain-id = d`, byName({ id: 'd' }, { id: 'd' })],
  [`${BY_NAME}; domain-name = d`, byName({ name: 'd' }, { name: 'd' })],
  [`${BY_NAME}; user-domain-id = d; tenant-domain-id = e`, byName({ id: 'd' }, { id: 'e' })],
  [`${BY_NAME}; user-domain-name = d; tenant-domain-name = e`, byName({ name: 'd' }, { name: 'e' })],
  ['application-credential-id = a; application-credential-secret = s', { type: 'application-credential', secret: 's', id: 'a' }],
  ['application-credential-name = a; application-credential-secret = s; user-id = u', { type: 'application-credential', secret: 's', name: 'a', user: { id: 'u' } }],
])('levelset logs in by %s', async (text, credentials) => {
  const LEVELSET_CLOUD_CONFIG_TEXT = ['[Global]', 'auth-url = https://k/v3', ...text.split('; ')].join('\n');
  const { openstack } = (await loadConfig({}, { LEVELSET_CLOUD_CONFIG_TEXT })).config;
  expect(openstack.credentials).toEqual(credentials);
});
