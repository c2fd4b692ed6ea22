import { describe, expect, it } from 'vitest';
import { readCloudConf } from '../../../shared/config/cloud-conf/cloud-conf.ts';
import { loadConfig } from '../../../shared/config/load.ts';

const ID = '01234567-89ab-cdef-0123-456789abcdef';
const read = (...lines: readonly string[]) => readCloudConf(lines.join('\n'), 'cloud.conf');

describe('[LoadBalancer]', () => {
  it('has the defaults of OCCM', () => {
    expect(read()).toEqual({
      access: {},
      global: { useClouds: false },
      route: {},
      metadata: { requestTimeout: 60_000 },
      problems: [],
      warnings: [],
      loadBalancerClasses: {},
      given: [],
      networking: {
        publicNetworkName: [],
        internalNetworkName: [],
        ipv6SupportDisabled: false,
        addressSortOrder: [],
      },
      loadBalancer: {
        enabled: true,
        lbProvider: 'amphora',
        lbMethod: 'ROUND_ROBIN',
        nodeSelector: {},
        createMonitor: false,
        monitorDelay: 5,
        monitorTimeout: 3,
        monitorMaxRetries: 1,
        monitorMaxRetriesDown: 3,
        internalLb: false,
        manageSecurityGroups: false,
        containerStore: 'barbican',
        maxSharedLb: 2,
        enableIngressHostname: false,
        ingressHostnameSuffix: 'nip.io',
      },
    });
  });

  it.each([
    ['lb-provider = ovn', { lbProvider: 'ovn' }],
    ['lb-provider = ""', { lbProvider: 'amphora' }],
    ['lb-method =', { lbMethod: 'ROUND_ROBIN' }],
    ['lb-version =', {}],
    ['monitor-delay =', { monitorDelay: 5 }],
    ['create-monitor = ""', { createMonitor: false }],
    ['LB-Method = SOURCE_IP_PORT', { lbMethod: 'SOURCE_IP_PORT' }],
    [`subnet-id = ${ID}`, { subnetId: ID }],
    [`subnet-id = "${ID.toUpperCase()} "`, { subnetId: ID }],
    ['subnet-id =', {}],
    [`member-subnet-id = ${ID}`, { memberSubnetId: ID }],
    [`network-id = ${ID}`, { networkId: ID }],
    [`floating-network-id = ${ID}`, { floatingNetworkId: ID }],
    [`floating-subnet-id = ${ID}`, { floatingSubnetId: ID }],
    ['floating-subnet = !public-*', { floatingSubnet: '!public-*' }],
    ['floating-subnet = "~public-\\\\d+"', { floatingSubnet: '~public-\\d+' }],
    ['floating-subnet =', {}],
    ['floating-subnet-tags = &a, b', { floatingSubnetTags: '&a, b' }],
    ['node-selector = pool=edge, ssd', { nodeSelector: { pool: 'edge', ssd: '' } }],
    ['node-selector =', { nodeSelector: {} }],
    ['enable-ingress-hostname', { enableIngressHostname: true }],
    ['ingress-hostname-suffix = .Example.org', { ingressHostnameSuffix: 'example.org' }],
    ['ingress-hostname-suffix =', { ingressHostnameSuffix: 'nip.io' }],
    ['create-monitor', { createMonitor: true }],
    ['create-monitor = off', { createMonitor: false }],
    ['monitor-delay = 1m30s', { monitorDelay: 90 }],
    ['monitor-delay = 2900ms', { monitorDelay: 2 }],
    ['monitor-timeout = 10s', { monitorTimeout: 10 }],
    ['monitor-max-retries = 0x0A', { monitorMaxRetries: 10 }],
    ['monitor-max-retries-down = 2', { monitorMaxRetriesDown: 2 }],
    ['internal-lb = YES', { internalLb: true }],
  ])('reads %j', (line, expected) => {
    const { loadBalancer, problems, warnings } = read('[loadbalancer]', line);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(loadBalancer).toMatchObject(expected);
  });

  // prettier-ignore
  it.each([
    ['monitor-delay = 5', 'monitor-delay has a value that is not allowed: give a duration with a unit'],
    ['monitor-delay = 10ms', 'at least 1s'],
    ['monitor-timeout', 'monitor-timeout has no value: give a duration'],
    ['monitor-max-retries = 11', 'a whole number from 1 to 10'],
    ['monitor-max-retries = many', 'a whole number from 1 to 10'],
    ['create-monitor = maybe', 'give true, yes, on, 1, false, no, off or 0'],
    ['lb-method = FASTEST', 'one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT'],
    ['lb-version = v1', 'lb-version'],
    ['subnet-id', 'subnet-id has no value: give the UUID of a resource'],
    ['subnet-id = private', 'subnet-id has a value that is not allowed: give the UUID of a resource'],
    ['member-subnet-id = s', 'give the UUID'],
    ['network-id = n', 'give the UUID'],
    ['floating-network-id = f', 'give the UUID'],
    ['floating-subnet-id = f', 'give the UUID'],
    ['flavor-id = small', 'give the UUID'],
    ['floating-subnet = ~(', 'floating-subnet has a value that is not allowed: give ~ and a regular expression'],
    ['floating-subnet', 'has no value: give a name, a glob'],
    ['floating-subnet-tags = a,,b', 'give tags with commas'],
    ['node-selector = pool in (a)', 'give labels such as pool=edge,ssd'],
    ['node-selector', 'has no value: give labels'],
    ['ingress-hostname-suffix = nip_io', 'a DNS name'],
    ['max-shared-lb = 0', 'a whole number from 1'],
    ['enabled = perhaps', 'give true'],
  ])('refuses %j', (line, says) => {
    const { problems } = read('', '[LoadBalancer]', line);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^cloud\.conf:3: \[LoadBalancer\] /);
    expect(problems[0]).toContain(says);
  });
});

describe('what has no effect', () => {
  // prettier-ignore
  it.each([
    ['[LoadBalancer]\nlb-methd = X', 'cloud.conf:2: [LoadBalancer] has no option of this name; levelset ignores it; did you mean lb-method?'],
    ['[LoadBalancer]\nquite-something-else = X', 'cloud.conf:2: [LoadBalancer] has no option of this name; levelset ignores it'],
    ['[LoadBalancer]\nenabled = no', 'cloud.conf:2: [LoadBalancer] enabled is false: levelset makes, changes and deletes no load balancer'],
    ['[LoadBalancer]\ncascade-delete = false', 'cloud.conf:2: [LoadBalancer] cascade-delete has no effect: levelset deletes a load balancer by one call if everything on it is its own'],
    ['[LoadBalancer]\nprovider-requires-serial-api-calls', 'cloud.conf:2: [LoadBalancer] provider-requires-serial-api-calls has no effect: levelset makes a load balancer by one call'],
    ['[Router]', 'cloud.conf:1: levelset does not know this section, and ignores it; did you mean Route?'],
    ['[LoadBalancerClass "a"]\nsubnet-ids = y', 'cloud.conf:2: [LoadBalancerClass] has no option of this name; levelset ignores it; did you mean subnet-id?'],
    ['[LoadBalancerClass]\nsubnet-id = y', 'cloud.conf:1: [LoadBalancerClass] needs a name, such as [LoadBalancerClass "internet"]; levelset ignores this one'],
    ['[Global "a"]\nx = y', 'cloud.conf:1: [Global] has no subsections; levelset ignores this one'],
  ])('%j gives a warning', (source, warning) => {
    expect(readCloudConf(source, 'cloud.conf')).toMatchObject({ warnings: [warning], problems: [] });
  });

  // prettier-ignore
  it.each([
    '[Networking]\npublic-network-name = a\naddress-sort-order = 10.0.0.0/8', `[Route]\nrouter-id = ${ID}`, '[Route]\nrouter-id =',
    '[BlockStorage]\nbs-version = v3', '[Metadata]\nsearch-order = configDrive',
    '[LoadBalancer]\nmanage-security-groups = false\nenabled\nmax-shared-lb = 2',
  ])('%j gives no warning', (source) => {
    expect(readCloudConf(source, 'cloud.conf')).toMatchObject({ warnings: [], problems: [] });
  });
});

it('a value that is not allowed is told and stops nothing where levelset makes no load balancers', () => {
  // prettier-ignore
  const lines = ['[LoadBalancerClass "a"]', 'subnet-id = x', '[LoadBalancer]', 'floating-network-id = public', 'enabled = false'];
  expect(read(...lines)).toMatchObject({
    problems: [],
    warnings: [
      expect.stringContaining('enabled is false'),
      'cloud.conf:2: [LoadBalancerClass] subnet-id has a value that is not allowed: give the UUID of a resource',
      'cloud.conf:4: [LoadBalancer] floating-network-id has a value that is not allowed: give the UUID of a resource',
    ],
  });
  expect(read(...lines.slice(0, 4)).problems).toHaveLength(2);
});

describe('[LoadBalancerClass "name"]', () => {
  it('may stand there any number of times', () => {
    const { loadBalancerClasses, problems, warnings } = read(
      '[LoadBalancerClass "internet"]',
      `Floating-Network-ID = ${ID}`,
      'floating-subnet = public-*',
      '[loadbalancerclass "DMZ"]',
      `subnet-id = ${ID}`,
      'network-id =',
      '[LoadBalancerClass "empty"]',
      '[LoadBalancerClass "internet"]',
      'floating-subnet-tags = !a',
    );
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(loadBalancerClasses).toEqual({
      internet: { floatingNetworkId: ID, floatingSubnet: 'public-*', floatingSubnetTags: '!a' },
      DMZ: { subnetId: ID },
      empty: {},
    });
  });

  it('says in which line the value stands that is not allowed', () => {
    expect(read('', '[LoadBalancerClass "a\\"b"]', 'member-subnet-id = x').problems).toEqual([
      'cloud.conf:3: [LoadBalancerClass] member-subnet-id has a value that is not allowed: give the UUID of a resource',
    ]);
  });
});

describe('[Global] and [Metadata]', () => {
  it('say how to reach OpenStack', () => {
    const conf = read(
      '[Global]',
      'auth-url = https://k/v3',
      'tenant-id = p',
      'password = "a#b"',
      'os-endpoint-type = internal',
      'use-clouds',
      'cloud = c',
      'clouds-file = /f',
      'ca-file =',
      '[Metadata]',
      'request-timeout = 5s',
    );
    expect(conf).toMatchObject({
      access: { authUrl: 'https://k/v3', interface: 'internal', projectId: 'p', password: 'a#b' },
      global: { useClouds: true, cloud: 'c', cloudsFile: '/f' },
      metadata: { requestTimeout: 5_000 },
      problems: [],
    });
    expect(conf.access).not.toHaveProperty('caFile');
  });

  const PASSWORD = { type: 'password', password: 'p' };
  const BY_NAME = 'username = u; password = p; tenant-name = t';
  const CREDENTIAL = { type: 'application-credential', secret: 's' };
  const inDomain = (domain: object) => ({ ...PASSWORD, user: { name: 'u', domain }, project: { name: 't', domain } }); // prettier-ignore
  const inTwo = (user: object, project: object) => ({ ...PASSWORD, user: { name: 'u', domain: user }, project: { name: 't', domain: project } }); // prettier-ignore
  // prettier-ignore
  it.each([
    ['user-id = u; password = p; tenant-id = t', { ...PASSWORD, user: { id: 'u' }, project: { id: 't' } }],
    [`${BY_NAME}; domain-id = d`, inDomain({ id: 'd' })],
    [`${BY_NAME}; domain-name = d`, inDomain({ name: 'd' })],
    [`${BY_NAME}; user-domain-id = d; tenant-domain-id = e`, inTwo({ id: 'd' }, { id: 'e' })],
    [`${BY_NAME}; user-domain-name = d; tenant-domain-name = e`, inTwo({ name: 'd' }, { name: 'e' })],
    ['application-credential-id = a; application-credential-secret = s', { ...CREDENTIAL, id: 'a' }],
    ['application-credential-name = a; application-credential-secret = s; user-id = u', { ...CREDENTIAL, name: 'a', user: { id: 'u' } }],
  ])('log in by %s', async (text, credentials) => {
    const LEVELSET_CLOUD_CONFIG_TEXT = ['[Global]', 'auth-url = https://k/v3', ...text.split('; ')].join('\n');
    const { openstack } = (await loadConfig({}, { LEVELSET_CLOUD_CONFIG_TEXT })).config;
    expect(openstack.credentials).toEqual(credentials);
  });

  it('name every problem, and no secret', () => {
    const { problems } = read(
      '[Global]',
      'password = hun\\ter2',
      'use-clouds = x',
      '[Metadata]',
      'request-timeout = 5',
    );
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).not.toContain('hun');
  });
});
