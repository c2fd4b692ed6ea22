import type { LoadBalancerClassConfig } from '../../../shared/config/config.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';

const NAMED = [
  ['networkId', 'network-id', 'network'],
  ['subnetId', 'subnet-id', 'subnet'],
  ['memberSubnetId', 'member-subnet-id', 'subnet'],
  ['floatingNetworkId', 'floating-network-id', 'network'],
  ['floatingSubnetId', 'floating-subnet-id', 'subnet'],
] as const;

/** Whether the networks and subnets that cloud.conf names are there, and where floating IPs come from if it names none. */
export async function checkNetworks(examined: Examined): Promise<readonly Finding[]> {
  const { loadBalancer, loadBalancerClasses } = examined.connected.world.config;
  const sections: readonly (readonly [string, Partial<LoadBalancerClassConfig>])[] = [
    ['LoadBalancer', loadBalancer],
    ...Object.entries(loadBalancerClasses).map(
      ([name, one]) => [`LoadBalancerClass ${JSON.stringify(name)}`, one] as const,
    ),
  ];
  const named = sections.flatMap(([section, options]) =>
    NAMED.flatMap(([field, option, kind]) => {
      const id = options[field];
      return id === undefined ? [] : [checkOne(examined, `[${section}] ${option}`, kind, id)];
    }),
  );
  const { internalLb, floatingNetworkId, floatingSubnetId } = loadBalancer;
  const choosing = !internalLb && floatingNetworkId === undefined && floatingSubnetId === undefined;
  return (await Promise.all([...named, ...(choosing ? [checkExternal(examined)] : [])])).flat();
}

async function checkOne(
  examined: Examined,
  option: string,
  kind: 'network' | 'subnet',
  id: string,
): Promise<readonly Finding[]> {
  const shown = examined.entry === undefined ? `${option} = ${id}` : option;
  const read = await tried(() => examined.connected.world.cloud.get(kind, id));
  if ('error' in read && read.error.code !== 'NOT_FOUND') return []; // the rights, or the network, say why
  if ('value' in read && read.value !== undefined)
    return [{ area: 'network', level: 'ok', what: `${shown}: the ${kind} is there` }];
  const list = `openstack ${kind} list${option.includes('floating') && kind === 'network' ? ' --external' : ''}`;
  // a project may use an external network whose subnets it cannot see
  const isHidden = option.endsWith('floating-subnet-id');
  const what = `${shown}: the project sees no such ${kind}`;
  const remedy = `write the id of one that exists into ${cloudSource(examined)}:\n${list}`;
  return [{ area: 'network', level: isHidden ? 'warning' : 'failure', what, remedy }];
}

async function checkExternal(examined: Examined): Promise<readonly Finding[]> {
  const read = await tried(() =>
    examined.connected.world.cloud.list('network', { 'router:external': 'true' }),
  );
  if ('error' in read) return [];
  const [first, ...others] = read.value;
  if (first !== undefined && others.length === 0)
    return [
      { area: 'network', level: 'ok', what: `floating IPs come from the only external network, ${first.id}` },
    ];
  const what =
    first === undefined
      ? 'the project sees no external network, so no Service gets a floating IP'
      : `there are ${others.length + 1} external networks and none is named: no Service gets a floating IP`;
  const remedy = `name one as floating-network-id in [LoadBalancer] of ${cloudSource(examined)}, or set internal-lb = true there:\nopenstack network list --external`;
  return [{ area: 'network', level: 'failure', what, remedy }];
}
