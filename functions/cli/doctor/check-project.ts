import type { LoadBalancerClassConfig } from '../../../shared/config/config.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { madeUnderOtherName } from '../../../shared/model/load-balancer/shared-load-balancer.ts';
import { keyOf } from '../../../shared/model/request.ts';
import { namedId } from '../../../shared/service/observe/load-balancer/adoption.ts';
import { counted } from '../command.ts';
import { finding, type Examined, type Findings } from './finding.ts';

const NAMED = [
  ['networkId', 'network-id', 'network'],
  ['subnetId', 'subnet-id', 'subnet'],
  ['memberSubnetId', 'member-subnet-id', 'subnet'],
  ['floatingNetworkId', 'floating-network-id', 'network'],
  ['floatingSubnetId', 'floating-subnet-id', 'subnet'],
] as const;

/** Whether the networks and subnets that cloud.conf names are there, and where floating IPs come from if it names none. */
export async function checkNetworks(examined: Examined): Findings {
  const { loadBalancer, loadBalancerClasses } = examined.connected.world.config;
  const namedIn = (section: string, options: Partial<LoadBalancerClassConfig>): readonly Findings[] =>
    NAMED.flatMap(([field, option, kind]) => {
      const id = options[field];
      return id === undefined ? [] : [checkOne(examined, `[${section}] ${option}`, kind, id)];
    });
  const named = [
    ...namedIn('LoadBalancer', loadBalancer),
    ...Object.entries(loadBalancerClasses).flatMap(([name, options]) =>
      namedIn(`LoadBalancerClass ${JSON.stringify(name)}`, options),
    ),
  ];
  const { internalLb, floatingNetworkId, floatingSubnetId } = loadBalancer;
  const choosing = !internalLb && floatingNetworkId === undefined && floatingSubnetId === undefined;
  return (await Promise.all([...named, ...(choosing ? [checkExternal(examined)] : [])])).flat();
}

async function checkOne(
  examined: Examined,
  option: string,
  kind: 'network' | 'subnet',
  id: string,
): Findings {
  const shown = examined.entry === undefined ? `${option} = ${id}` : option;
  const read = await examined.connected.world.cloud.get(kind, id).catch(asReconcileError);
  if (isError(read) && read.code !== 'NOT_FOUND') return []; // the rights, or the network, say why
  if (!isError(read) && read) return [finding('ok', 'network', `${shown}: the ${kind} is there`)];
  const external = option.includes('floating') && kind === 'network' ? ' --external' : '';
  const remedy = `write the id of one that exists into ${examined.cloudSource}:\nopenstack ${kind} list${external}`;
  // a project may use an external network whose subnets it cannot see
  const level = option.endsWith('floating-subnet-id') ? 'warning' : 'failure';
  return [finding(level, 'network', `${shown}: the project sees no such ${kind}`, remedy)];
}

async function checkExternal(examined: Examined): Findings {
  const read = await examined.connected.world.cloud
    .list('network', { 'router:external': 'true' })
    .catch(asReconcileError);
  if (isError(read)) return [];
  const [first, second] = read;
  if (first !== undefined && second === undefined)
    return [finding('ok', 'network', `floating IPs come from the only external network, ${first.id}`)];
  const what =
    first === undefined
      ? 'the project sees no external network, so no Service gets a floating IP'
      : `there are ${read.length} external networks and none is named: no Service gets a floating IP`;
  const remedy = `name one as floating-network-id in [LoadBalancer] of ${examined.cloudSource}, or set internal-lb = true there:\nopenstack network list --external`;
  return [finding('failure', 'network', what, remedy)];
}

/** Whether load balancers to which Services lead by their ids were made under another cluster name: levelset would take none of them. */
export async function checkClusterName({ connected }: Examined): Findings {
  const { kube, cloud } = connected.world;
  const asking = [kube.listServices(), cloud.list('loadbalancer'), connected.cluster()] as const;
  const asked = await Promise.all(asking).catch(asReconcileError);
  if (isError(asked)) return []; // rights and endpoints have checks of their own
  const [services, all, identity] = asked;
  const byId = new Map(all.map((lb) => [lb.id, lb]));
  const others = services.flatMap((service) => {
    const lb = byId.get(namedId(service) ?? '');
    return (lb && madeUnderOtherName(lb, keyOf(service), identity)?.names?.[0]) ?? [];
  });
  return [...Map.groupBy(others, (made) => made)].map(([made, { length }]) => {
    const what = `the load balancers of ${counted(length, 'Service')} were made in a cluster named ${made}, and --cluster-name is ${identity.name}: levelset takes none of them`;
    return finding('failure', 'configuration', what, `--cluster-name=${made}`);
  });
}
