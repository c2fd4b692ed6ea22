import { expect, it } from 'vitest';
import { readFlagsText } from '../../../shared/config/read-flags.ts';
import { parseGoDuration } from '../../../shared/config/read-value.ts';
import { GLOBAL, load, type Given } from './config-files.ts';

const ROUTER = '01234567-89ab-cdef-0123-456789abcdef';
const ROUTED = `${GLOBAL}[Route]\nrouter-id = ${ROUTER}`;
const PODS = { clusterCidr: '10.244.0.0/16' };
const NO_REGION = GLOBAL.replace(/region.*/, '');
const [zonal, regional] = [false, true].map((regionalProviderID) => ({ nodes: { regionalProviderID } }));
const route = { route: { routerId: ROUTER } };
// prettier-ignore
const [SERVICE, NODE, LIFECYCLE, ROUTE] = [
  'service-lb-controller', 'cloud-node-controller', 'cloud-node-lifecycle-controller', 'node-route-controller',
];
const allowed = (namespace: string, kind: string, id: string) => ({ namespace, kind, id });

// prettier-ignore
it.each<[flags: Given & { readonly OS_CCM_REGIONAL?: string }, config: object, warnings?: readonly string[]]>([
  [{}, { ...zonal, deletionPercent: 10, controllers: [SERVICE, NODE, LIFECYCLE, ROUTE] }],
  [{ OS_CCM_REGIONAL: 'true' }, { ...regional }],
  [{ OS_CCM_REGIONAL: 'True' }, { ...zonal }],
  [{ regionalProviderId: 'true' }, { ...regional }],
  [{ regionalProviderId: 'false', OS_CCM_REGIONAL: 'true' }, { ...zonal }],
  [{ OS_CCM_REGIONAL: 'true', cloudConfigText: NO_REGION }, { ...zonal }, ['OS_CCM_REGIONAL has no effect: there is no region']],
  [{ regionalProviderId: 'true', cloudConfigText: NO_REGION }, { ...zonal }, ['--regional-provider-id has no effect: there is no region']],
  [{ deletionShare: '0%' }, { deletionPercent: 0 }],
  [{ serviceAccount: 'a/b.c-d', sweepInterval: '1h', concurrentServiceSyncs: '3' }, { serviceAccount: 'a/b.c-d', sweepIntervalMs: 3_600_000, concurrentServiceSyncs: 3 }],
  [{ clusterName: 'c', loadBalancerClass: 'l', stateNamespace: 'n' }, { clusterName: 'c', loadBalancerClass: 'l', stateNamespace: 'n' }],
  [{ deletionShare: '100%' }, { deletionPercent: 100 }],
  [{ ...PODS, cloudConfigText: ROUTED }, route],
  [{ ...PODS, cloudConfigText: ROUTED, configureCloudRoutes: 'false' }, { route: undefined }],
  [{ ...PODS, cloudConfigText: ROUTED, controllers: '*,-route' }, { route: undefined }],
  [{ cloudConfigText: ROUTED, controllers: 'service' }, { route: undefined, controllers: [SERVICE] }],
  [PODS, { route: undefined }],
  [{ cloudConfigText: ROUTED, clusterCidr: '' }, { route: undefined }, ['[Route] router-id has no effect without --cluster-cidr: levelset makes and deletes no routes']],
  [{ ...PODS, configureCloudRoutes: 'true' }, { route: undefined }, ['--configure-cloud-routes has no effect: [Route] router-id names no router']],
  [{ clusterCidr: 'FD00::/48, 10.244.7.7/16' }, { clusterCidrs: ['fd00::/48', '10.244.0.0/16'] }],
  [{ controllers: '-route, *' }, { controllers: [SERVICE, NODE, LIFECYCLE] }],
  [{ controllers: '*,-cloud-node,-cloud-node-lifecycle' }, { controllers: [SERVICE, ROUTE] }],
  [{ controllers: 'cloud-node cloud-node-lifecycle-controller' }, { controllers: [NODE, LIFECYCLE] }],
  // the first that names it counts
  [{ controllers: '*,-route,node-route-controller' }, { controllers: [SERVICE, NODE, LIFECYCLE] }],
  [{}, { reach: undefined, allowedReferences: undefined }],
  [{ reach: 'allowed', allowedReferences: 'shop/subnet/x, */*/*\n edge/barbican/https://b/v1/secrets/x' },
    { reach: 'allowed', allowedReferences: [allowed('shop', 'subnet', 'x'), allowed('*', '*', '*'), allowed('edge', 'barbican', 'https://b/v1/secrets/x')] }],
])('%j is read', async ({ OS_CCM_REGIONAL = '', ...flags }, expected, says = []) => {
  const { config, warnings } = await load({ cloudConfigText: GLOBAL, ...flags }, { OS_CCM_REGIONAL });
  const its = Object.keys(expected).map((key) => [key, config[key as keyof typeof config]]);
  expect(Object.fromEntries(its)).toEqual(expected);
  expect(warnings).toEqual(says.map((words) => expect.stringContaining(words) as string));
});

const REFERENCES =
  '--allowed-references has a value that is not allowed (item 2): give NAMESPACE/KIND/ID, each of them or *, the kind one of loadbalancer,';
// prettier-ignore
it.each<readonly [Given, string]>([
  [{ deletionShare: '10' }, '--deletion-share has a value that is not allowed: give a share from 0% to 100%'],
  [{ deletionShare: '101%' }, '--deletion-share has a value that is not allowed'],
  [{ v: '1001' }, '-v, --v has a value that is not allowed: give a whole number from 0 to 1000'],
  [{ reconcileTimeout: '5' }, '--reconcile-timeout has a value that is not allowed: give a duration'],
  ...['levelset', 'a/', 'a/b/c', 'A/b', 'system:serviceaccount:a:b'].map((serviceAccount) => [{ serviceAccount }, '--service-account has a value that is not allowed: give'] as const),
  [{ configureCloudRoutes: 'yes' }, '--configure-cloud-routes has a value that is not allowed: give true or false'],
  [{ clusterCidr: '10.244.0.0' }, '--cluster-cidr has a value that is not allowed: give a CIDR such as 10.244.0.0/16, or one of each IP family'],
  [{ clusterCidr: '10.0.0.0/16,10.1.0.0/16' }, 'is not allowed: give a CIDR'],
  [{ controllers: '*,Service' }, '--controllers has a value that is not allowed (item 2): give *, service-lb-controller (service), '],
  [{ controllers: '*,-services' }, '; did you mean service?'],
  [{ controllers: 'nodeipam,-*' }, 'has a value that is not allowed (items 1, 2): give *, '],
  [{ controllers: '*,-service,-cloud-node,-cloud-node-lifecycle,-route' }, 'has a value that is not allowed: give a list that leaves a controller on; it may begin with *'],
  [{ reach: 'closed' }, '--reach has a value that is not allowed: give one of open, allowed'],
  ...['shop', 'shop/subnet/', '/subnet/x', 'shop/cow/x', 'a_b/subnet/x', 'shop/subnet/ab*'].map((entry) => [{ allowedReferences: `shop/subnet/*,${entry}` }, REFERENCES] as const),
])('%j is refused', async (flags, says) => {
  const refused = load({ cloudConfigText: GLOBAL, ...flags });
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const { message } = (await refused.catch((error: unknown) => error)) as Error;
  expect(message).toContain(says);
  expect(message.split('\n')).toHaveLength(2);
});

it.each<[text: string, ms?: number]>([
  ['0', 0],
  ['1h2m3s4ms', 3_723_004],
  ['+1.5h', 5_400_000],
  ['.5m', 30_000],
  ['1.s', 1_000],
  ['2000µs', 2],
  ...['', '5', 's', '-5s', '5 s', '1d'].map((text): [string] => [text]),
])('the duration %j has %j ms', (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms);
});

const readText = (text: string) => {
  const problems: string[] = [];
  return { flags: readFlagsText(text, 'flags', problems), problems };
};

it('a text of flags has one a line; empty lines and comments say nothing, a list may go on in another line', () => {
  const text =
    '# of prod\r\ncluster-cidr = 10.0.0.0/8\r\n\ndrift=report\ncontrollers=service\ncontrollers=route\nload-balancer-class=';
  const flags = {
    clusterCidr: '10.0.0.0/8',
    drift: 'report',
    controllers: 'service,route',
    loadBalancerClass: '',
  };
  expect(readText(text)).toEqual({ flags, problems: [] });
});

// prettier-ignore
it.each([
  ['cluster-cdir=10.0.0.0/8', 'no flag of a cluster has this name: write name=value; did you mean cluster-cidr?'],
  ['--drift=report', 'no flag of a cluster has this name: write name=value; did you mean drift?'],
  ['kubeconfig=/etc/hunter2', 'no flag of a cluster has this name: write name=value'],
  ['hunter2hunter2', 'no flag of a cluster has this name: write name=value'],
  ['drift', 'drift has no value: write drift=value'],
  ['drift=hunter2', 'drift has a value that is not allowed: give one of repair, report'],
  ['state-namespace=other', 'state-namespace has a value in a line above: leave one of them'],
])('%s in a text of flags is refused by its line, and nothing of it is repeated', (line, problem) => {
  const { flags, problems } = readText(`\nstate-namespace=levelset\n${line}`);
  expect(problems).toEqual([`flags:3: ${problem}`]);
  expect(flags).toEqual({ stateNamespace: 'levelset' });
});
