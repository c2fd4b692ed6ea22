import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../shared/config/flags/flags.ts';
import { GLOBAL, load } from './config-files.ts';

const ROUTER = '01234567-89ab-cdef-0123-456789abcdef';
const ROUTED = `${GLOBAL}[Route]\nrouter-id = ${ROUTER}`;
const PODS = { clusterCidr: '10.244.0.0/16' };
const DUAL = { clusterCidr: '10.244.0.0/16, FD00::/48' };
const V4 = { clusterCidr: '10.244.0.0/16', family: 4, maskSize: 24 };

describe('Nodes', () => {
  it.each<readonly [Flags, Readonly<Record<string, string>>, object]>([
    [{}, {}, {}],
    [{}, { OS_CCM_REGIONAL: 'true' }, { regionalProviderID: true }],
    [{}, { OS_CCM_REGIONAL: 'True' }, {}],
    [{ nodeNameFrom: 'hostname' }, {}, { nameFrom: 'hostname' }],
    [{ nodeNameFrom: 'first-label' }, {}, { nameFrom: 'first-label' }],
    [{ shutdownStates: 'SUSPENDED, SHUTOFF' }, {}, { shutdownStates: ['SHUTOFF', 'SUSPENDED'] }],
    [{ shutdownStates: 'SHELVED_OFFLOADED' }, {}, { shutdownStates: ['SHELVED_OFFLOADED'] }],
    [{ nodeDeletionShare: '0%' }, {}, { deletionPercent: 0 }],
    [{ nodeDeletionShare: '100%' }, {}, { deletionPercent: 100 }],
  ])('%j, %j', async (flags, env, expected) => {
    const { config, warnings } = await load({ cloudConfigText: GLOBAL, ...flags }, env);
    const unset = { nameFrom: 'name', shutdownStates: ['SHUTOFF'], deletionPercent: 10 };
    expect(config.nodes).toEqual({ regionalProviderID: false, ...unset, ...expected });
    expect(warnings).toEqual([]);
  });

  it('have no region in their providerID where there is none', async () => {
    const cloudConfigText = GLOBAL.replace(/region.*/, '');
    const { config, warnings } = await load({ cloudConfigText }, { OS_CCM_REGIONAL: 'true' });
    expect(config.nodes.regionalProviderID).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('OS_CCM_REGIONAL has no effect: there is no region')]);
  });
});

describe('routes', () => {
  it.each<readonly [Flags, boolean, readonly string[]]>([
    [{ ...PODS, cloudConfigText: ROUTED }, true, []],
    [{ ...PODS, cloudConfigText: ROUTED, configureCloudRoutes: 'T' }, true, []],
    [{ ...PODS, cloudConfigText: ROUTED, configureCloudRoutes: 'false' }, false, []],
    [{ ...PODS, cloudConfigText: ROUTED, controllers: '*,-route' }, false, []],
    [{ cloudConfigText: ROUTED, controllers: 'service' }, false, []],
    [{ ...PODS, cloudConfigText: GLOBAL }, false, []],
    [
      { ...PODS, cloudConfigText: ROUTED, discoverRouter: 'true' },
      true,
      ['--discover-router has no effect: [Route] router-id names a router'],
    ],
    [
      { cloudConfigText: GLOBAL, clusterCidr: '', discoverRouter: 'true' },
      false,
      ['--discover-router has no effect without --cluster-cidr: no route is made or deleted'],
    ],
    [
      { cloudConfigText: ROUTED, clusterCidr: '' },
      false,
      ['[Route] router-id has no effect without --cluster-cidr: no route is made or deleted'],
    ],
    [
      { ...PODS, cloudConfigText: GLOBAL, configureCloudRoutes: 'true' },
      false,
      ['--configure-cloud-routes has no effect: [Route] router-id names no router'],
    ],
  ])('%j: %j', async (flags, on, says) => {
    const { config, warnings } = await load(flags);
    expect(config.route).toEqual(on ? { routerId: ROUTER } : undefined);
    expect(warnings).toEqual(says);
  });
});

it('the router may be left to be discovered', async () => {
  const { config, warnings } = await load({ ...PODS, cloudConfigText: GLOBAL, discoverRouter: 'true' });
  expect([config.route, warnings]).toEqual([{}, []]);
});

describe('node CIDRs', () => {
  const V6 = { clusterCidr: 'fd00::/48', family: 6, maskSize: 64 };
  it.each<readonly [Flags, readonly (typeof V4)[]]>([
    [PODS, [V4]],
    [{ ...PODS, nodeCidrMaskSize: '26' }, [{ ...V4, maskSize: 26 }]],
    [{ ...PODS, nodeCidrMaskSize: '26', nodeCidrMaskSizeIpv4: '16' }, [{ ...V4, maskSize: 16 }]],
    [{ ...PODS, nodeCidrMaskSizeIpv6: '1' }, [V4]],
    [DUAL, [V4, V6]],
    [{ clusterCidr: 'fd00::/48,10.244.7.7/16' }, [V6, V4]],
    [{ ...DUAL, nodeCidrMaskSizeIpv4: '32' }, [{ ...V4, maskSize: 32 }, V6]],
    [{ ...DUAL, nodeCidrMaskSizeIpv6: '128' }, [V4, { ...V6, maskSize: 128 }]],
  ])('%j', async (flags, ranges) => {
    const { config } = await load({ cloudConfigText: GLOBAL, allocateNodeCidrs: 'true', ...flags });
    expect(config.nodeCidrs).toEqual({ ranges, serviceCidrs: [] });
    expect(config.clusterCidrs).toEqual(ranges.map(({ clusterCidr }) => clusterCidr));
  });

  it('spare those of Services', async () => {
    const flags = { ...PODS, allocateNodeCidrs: 'true', serviceClusterIpRange: '10.96.0.0/12,fd01::/112' };
    const { config } = await load({ cloudConfigText: GLOBAL, ...flags });
    expect(config.nodeCidrs).toEqual({ ranges: [V4], serviceCidrs: ['10.96.0.0/12', 'fd01::/112'] });
  });

  it('are for others without --allocate-node-cidrs, whatever else is said', async () => {
    const { config } = await load({ cloudConfigText: GLOBAL, ...DUAL, nodeCidrMaskSize: '26' });
    expect(config.nodeCidrs).toBeUndefined();
  });
});

describe('what is refused', () => {
  const ON = { allocateNodeCidrs: 'true' };
  it.each<readonly [Flags, string]>([
    [{ nodeNameFrom: 'fqdn' }, '--node-name-from is one of name, hostname, first-label, not "fqdn"'],
    [{ shutdownStates: 'SHUTOFF,PAUSED' }, 'SHELVED_OFFLOADED, SUSPENDED, with commas between, not "PAUSED"'],
    [{ shutdownStates: 'shutoff' }, 'not "shutoff"'],
    [{ shutdownStates: '' }, '--shutdown-states is one or more of'],
    [{ nodeDeletionShare: '10' }, '--node-deletion-share is from 0% to 100%, not "10"'],
    [{ nodeDeletionShare: '101%' }, '--node-deletion-share is from 0% to 100%'],
    [{ controllers: 'nodes' }, '--controllers has no "nodes"'],
    [{ configureCloudRoutes: 'yes' }, '--configure-cloud-routes is true or false, not "yes"'],
    [{ allocateNodeCidrs: '' }, '--allocate-node-cidrs is true or false, not ""'],
    [{ clusterCidr: '10.244.0.0' }, '--cluster-cidr is a CIDR such as 10.244.0.0/16, or one of each family'],
    [{ clusterCidr: '10.0.0.0/16,10.1.0.0/16' }, '--cluster-cidr is a CIDR'],
    [{ clusterCidr: '10.0.0.0/16,fd00::/48,fd01::/48', ...ON }, '--cluster-cidr is a CIDR'],
    [{ serviceClusterIpRange: '10.96.0.0/33' }, '--service-cluster-ip-range is a CIDR'],
    [ON, '--allocate-node-cidrs needs --cluster-cidr'],
    [{ ...ON, clusterCidr: '' }, '--allocate-node-cidrs needs --cluster-cidr'],
    [{ ...ON, ...DUAL, nodeCidrMaskSize: '24' }, '--node-cidr-mask-size is for one --cluster-cidr'],
    [
      { ...ON, ...PODS, nodeCidrMaskSize: '15' },
      'the mask size of IPv4 is from 16 to 32 in 10.244.0.0/16, not 15',
    ],
    [{ ...ON, ...PODS, nodeCidrMaskSizeIpv4: '33' }, 'from 16 to 32'],
    [{ ...ON, ...PODS, nodeCidrMaskSizeIpv4: 'x' }, 'from 16 to 32 in 10.244.0.0/16, not x'],
    [{ ...ON, clusterCidr: 'fd00::/72' }, 'the mask size of IPv6 is from 72 to 128 in fd00::/72, not 64'],
  ])('%j', async (flags, says) => {
    const refused = load({ cloudConfigText: GLOBAL, ...flags });
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const { message } = (await refused.catch((error: unknown) => error)) as Error;
    expect(message).toContain(says);
    expect(message.split('\n')).toHaveLength(2);
  });
});
