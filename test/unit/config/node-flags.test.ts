import { describe, expect, it } from 'vitest';
import { GLOBAL, load, type Given } from './config-files.ts';

const ROUTER = '01234567-89ab-cdef-0123-456789abcdef';
const ROUTED = `${GLOBAL}[Route]\nrouter-id = ${ROUTER}`;
const PODS = { clusterCidr: '10.244.0.0/16' };

describe('Nodes', () => {
  it.each<readonly [Given, Readonly<Record<string, string>>, object]>([
    [{}, {}, {}],
    [{}, { OS_CCM_REGIONAL: 'true' }, { regionalProviderID: true }],
    [{}, { OS_CCM_REGIONAL: 'True' }, {}],
    [{ regionalProviderId: 'true' }, {}, { regionalProviderID: true }],
    [{ regionalProviderId: 'false' }, { OS_CCM_REGIONAL: 'true' }, {}],
  ])('%j, %j', async (flags, env, expected) => {
    const { config, warnings } = await load({ cloudConfigText: GLOBAL, ...flags }, env);
    expect(config.nodes).toEqual({ regionalProviderID: false, ...expected });
    expect(warnings).toEqual([]);
  });

  it.each([
    [{}, 10],
    [{ deletionShare: '0%' }, 0],
    [{ deletionShare: '100%' }, 100],
  ])('%j: at most %i percent are deleted in an hour', async (flags, expected) => {
    const { config } = await load({ cloudConfigText: GLOBAL, ...flags });
    expect(config.deletionPercent).toBe(expected);
  });

  it.each<readonly [string, Given, Readonly<Record<string, string>>]>([
    ['OS_CCM_REGIONAL', {}, { OS_CCM_REGIONAL: 'true' }],
    ['--regional-provider-id', { regionalProviderId: 'true' }, {}],
  ])('have no region in their providerID where there is none (%s)', async (said, flags, env) => {
    const cloudConfigText = GLOBAL.replace(/region.*/, '');
    const { config, warnings } = await load({ cloudConfigText, ...flags }, env);
    expect(config.nodes.regionalProviderID).toBe(false);
    expect(warnings).toEqual([expect.stringContaining(`${said} has no effect: there is no region`)]);
  });
});

// prettier-ignore
it.each<readonly [Given, boolean, readonly string[]]>([
  [{ ...PODS, cloudConfigText: ROUTED }, true, []],
  [{ ...PODS, cloudConfigText: ROUTED, configureCloudRoutes: 'T' }, true, []],
  [{ ...PODS, cloudConfigText: ROUTED, configureCloudRoutes: 'false' }, false, []],
  [{ ...PODS, cloudConfigText: ROUTED, controllers: '*,-route' }, false, []],
  [{ cloudConfigText: ROUTED, controllers: 'service' }, false, []],
  [{ ...PODS, cloudConfigText: GLOBAL }, false, []],
  [{ cloudConfigText: ROUTED, clusterCidr: '' }, false, ['[Route] router-id has no effect without --cluster-cidr: levelset makes and deletes no routes']],
  [{ ...PODS, cloudConfigText: GLOBAL, configureCloudRoutes: 'true' }, false, ['--configure-cloud-routes has no effect: [Route] router-id names no router']],
])('routes %j: %j', async (flags, on, says) => {
  const { config, warnings } = await load(flags);
  expect(config.route).toEqual(on ? { routerId: ROUTER } : undefined);
  expect(warnings).toEqual(says);
});

it('a cluster CIDR may be one of each IP family', async () => {
  const { config } = await load({ cloudConfigText: GLOBAL, clusterCidr: 'FD00::/48, 10.244.7.7/16' });
  expect(config.clusterCidrs).toEqual(['fd00::/48', '10.244.0.0/16']);
});

// prettier-ignore
it.each<readonly [Given, string]>([
  [{ deletionShare: '10' }, '--deletion-share has a value that is not allowed: give a share from 0% to 100%'],
  [{ deletionShare: '101%' }, '--deletion-share has a value that is not allowed'],
  [{ controllers: 'nodes' }, '--controllers has a value that is not allowed (item 1): give *, service-lb-controller'],
  [{ configureCloudRoutes: 'yes' }, '--configure-cloud-routes has a value that is not allowed: give true or false'],
  [{ clusterCidr: '10.244.0.0' }, '--cluster-cidr has a value that is not allowed: give a CIDR such as 10.244.0.0/16, or one of each IP family'],
  [{ clusterCidr: '10.0.0.0/16,10.1.0.0/16' }, 'is not allowed: give a CIDR'],
  [{ clusterCidr: '10.0.0.0/16,fd00::/48,fd01::/48' }, 'is not allowed: give a CIDR'],
])('what is refused %j', async (flags, says) => {
  const refused = load({ cloudConfigText: GLOBAL, ...flags });
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const { message } = (await refused.catch((error: unknown) => error)) as Error;
  expect(message).toContain(says);
  expect(message.split('\n')).toHaveLength(2);
});
