import { describe, expect, it } from 'vitest';
import { readCloudConf } from '../../../shared/config/cloud-conf.ts';

const read = (...lines: readonly string[]) => readCloudConf(lines.join('\n'), 'cloud.conf');

describe('[LoadBalancer]', () => {
  it('has the defaults of the Go provider', () => {
    expect(read()).toEqual({
      access: {},
      useClouds: false,
      problems: [],
      warnings: [],
      loadBalancer: {
        lbProvider: 'amphora',
        lbMethod: 'ROUND_ROBIN',
        createMonitor: false,
        monitorDelay: 5,
        monitorTimeout: 3,
        monitorMaxRetries: 1,
        monitorMaxRetriesDown: 3,
        internalLb: false,
      },
    });
  });

  it.each([
    ['lb-provider = ovn', { lbProvider: 'ovn' }],
    ['lb-provider = ""', { lbProvider: 'amphora' }],
    ['LB-Method = SOURCE_IP_PORT', { lbMethod: 'SOURCE_IP_PORT' }],
    ['subnet-id = s', { subnetId: 's' }],
    ['member-subnet-id = s', { memberSubnetId: 's' }],
    ['network-id = n', { networkId: 'n' }],
    ['floating-network-id = f', { floatingNetworkId: 'f' }],
    ['floating-subnet-id = f', { floatingSubnetId: 'f' }],
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

  it.each([
    ['monitor-delay = 5', 'monitor-delay = "5" is not allowed: give a duration with a unit'],
    ['monitor-delay = 10ms', 'at least 1s'],
    ['monitor-timeout', 'monitor-timeout has no value: give a duration'],
    ['monitor-max-retries = 11', 'a whole number from 1 to 10'],
    ['monitor-max-retries = many', 'a whole number from 1 to 10'],
    ['create-monitor = maybe', 'give true, yes, on, 1, false, no, off or 0'],
    ['lb-method = FASTEST', 'one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT'],
    ['lb-version = v1', 'lb-version'],
    ['subnet-id', 'subnet-id has no value'],
  ])('refuses %j', (line, says) => {
    const { problems } = read('', '[LoadBalancer]', line);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^cloud\.conf:3: \[LoadBalancer\] /);
    expect(problems[0]).toContain(says);
  });
});

describe('what has no effect', () => {
  it.each([
    [
      '[LoadBalancer]\nlb-methd = X',
      'cloud.conf:2: [LoadBalancer] lb-methd is not a known option and is ignored; did you mean lb-method?',
    ],
    [
      '[LoadBalancer]\nquite-something-else = X',
      'cloud.conf:2: [LoadBalancer] quite-something-else is not a known option and is ignored',
    ],
    [
      '[LoadBalancer]\nmanage-security-groups = true',
      'cloud.conf:2: [LoadBalancer] manage-security-groups is not used by levelset yet',
    ],
    ['[Router]', 'cloud.conf:1: [router] is not a known section and is ignored; did you mean Route?'],
    ['[LoadBalancerClass "a"]\nx = y', 'cloud.conf:1: [LoadBalancerClass] is not used by levelset yet'],
    ['[Global "a"]\nx = y', 'cloud.conf:1: [Global] has no subsections; this one is ignored'],
  ])('%j is said', (source, warning) => {
    expect(readCloudConf(source, 'cloud.conf')).toMatchObject({ warnings: [warning], problems: [] });
  });

  it.each([
    '[Networking]\npublic-network-name = a',
    '[Route]\nrouter-id = a',
    '[BlockStorage]\nbs-version = v3',
    '[Metadata]\nsearch-order = configDrive',
    '[LoadBalancer]\nmanage-security-groups = false\nenabled\nmax-shared-lb = 2',
  ])('%j goes in silence', (source) => {
    expect(readCloudConf(source, 'cloud.conf')).toMatchObject({ warnings: [], problems: [] });
  });
});

describe('[Global] and [Metadata]', () => {
  it('say how to reach OpenStack', () => {
    const conf = read(
      '[Global]',
      'auth-url = https://k/v3',
      'tenant-id = p',
      'password = "a#b"',
      'use-clouds',
      'cloud = c',
      'clouds-file = /f',
      'ca-file =',
      '[Metadata]',
      'request-timeout = 5s',
    );
    expect(conf).toMatchObject({
      access: { authUrl: 'https://k/v3', projectId: 'p', password: 'a#b' },
      useClouds: true,
      cloud: 'c',
      cloudsFile: '/f',
      requestTimeoutMs: 5_000,
      problems: [],
    });
    expect(conf.access).not.toHaveProperty('caFile');
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
