import type { LoadBalancerClassConfig } from '../../../shared/config/config.ts';
import { isError } from '../../../shared/model/errors.ts';
import { madeUnderOtherName } from '../../../shared/model/load-balancer/shared-load-balancer.ts';
import { keyOf } from '../../../shared/model/request.ts';
import { namedId } from '../../../shared/service/observe/load-balancer/adoption.ts';
import { counted } from '../command.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import { finding, type Finding } from './finding.ts';

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
  const read = await tried(examined.connected.world.cloud.get(kind, id));
  if (isError(read) && read.code !== 'NOT_FOUND') return []; // the rights, or the network, say why
  if (!isError(read) && read) return [finding('ok', 'network', `${shown}: the ${kind} is there`)];
  const external = option.includes('floating') && kind === 'network' ? ' --external' : '';
  const remedy = `write the id of one that exists into ${cloudSource(examined)}:\nopenstack ${kind} list${external}`;
  // a project may use an external network whose subnets it cannot see
  const level = option.endsWith('floating-subnet-id') ? 'warning' : 'failure';
  return [finding(level, 'network', `${shown}: the project sees no such ${kind}`, remedy)];
}

async function checkExternal(examined: Examined): Promise<readonly Finding[]> {
  const read = await tried(examined.connected.world.cloud.list('network', { 'router:external': 'true' }));
  if (isError(read)) return [];
  const [first, second] = read;
  if (first !== undefined && second === undefined)
    return [finding('ok', 'network', `floating IPs come from the only external network, ${first.id}`)];
  const what =
    first === undefined
      ? 'the project sees no external network, so no Service gets a floating IP'
      : `there are ${read.length} external networks and none is named: no Service gets a floating IP`;
  const remedy = `name one as floating-network-id in [LoadBalancer] of ${cloudSource(examined)}, or set internal-lb = true there:\nopenstack network list --external`;
  return [finding('failure', 'network', what, remedy)];
}

/** Whether load balancers to which Services lead by their ids were made under another cluster name: levelset would take none of them. */
export async function checkClusterName({ connected }: Examined): Promise<readonly Finding[]> {
  const { kube, cloud } = connected.world;
  const asked = await tried(
    Promise.all([kube.listServices(), cloud.list('loadbalancer'), connected.cluster()]),
  );
  if (isError(asked)) return []; // rights and endpoints have checks of their own
  const [services, all, identity] = asked;
  const byId = new Map(all.map((lb) => [lb.id, lb]));
  const others = services.flatMap((service) => {
    const lb = byId.get(namedId(service) ?? '');
    const made = lb && madeUnderOtherName(lb, keyOf(service), identity)?.names?.[0];
    return made ?? [];
  });
  return [...Map.groupBy(others, (made) => made)].map(([made, { length }]) => {
    const what = `the load balancers of ${counted(length, 'Service')} were made in a cluster named ${made}, and --cluster-name is ${identity.name}: levelset takes none of them`;
    return finding('failure', 'configuration', what, `--cluster-name=${made}`);
  });
}
