import type { LoadBalancerClassConfig } from '../../../shared/config/config.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { madeUnderOtherName } from '../../../shared/model/load-balancer/makers-and-sharers.ts';
import { keyOf } from '../../../shared/model/request.ts';
import { namedId } from '../../../shared/model/ownership.ts';
import { counted } from '../command.ts';
import { finding, shellWord, type Examined, type Finding, type Findings } from './finding.ts';

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

const NEAR = 0.9;

/** What the project has used of its quotas: a Service takes one of each, and a port and a rule for each address and range. */
export async function checkQuotas({ connected }: Examined): Findings {
  const read = await Promise.all([
    octaviaQuotas(connected).catch(asReconcileError),
    neutronQuotas(connected).catch(asReconcileError),
  ]);
  const remedy = 'a user without access rules can read them:\nopenstack quota show --usage';
  return [
    ...read.flatMap((quotas) => (isError(quotas) ? [] : quotas)),
    ...read.filter(isError).map(({ message }) => finding('note', 'quotas', `not read: ${message}`, remedy)),
  ];
}

type Connected = Examined['connected'];

async function octaviaQuotas({ world: { cloud } }: Connected): Findings {
  const [project, limits, loadBalancers, listeners] = await Promise.all([
    cloud.projectId(),
    cloud.quota(),
    cloud.list('loadbalancer'),
    cloud.list('listener'),
  ]);
  const quota = (name: string, field: string, used: number): Finding =>
    judge(name, used, limits[field] ?? -1, `loadbalancer quota set --${field}`, project);
  return [
    quota('load balancers', 'loadbalancer', loadBalancers.length),
    quota('listeners', 'listener', listeners.length),
  ];
}

const IN_NEUTRON = [
  ['floatingip', 'floating IPs', 'floating-ips'],
  ['port', 'ports', 'ports'],
  ['security_group', 'security groups', 'secgroups'],
  ['security_group_rule', 'security group rules', 'secgroup-rules'],
] as const;

/** Networking API, "Show quota details". It is no access rule: levelset itself does not call it. */
async function neutronQuotas({ session }: Connected): Findings {
  const project = await session.projectId();
  const path = `/v2.0/quotas/${project}/details.json`;
  const attempted = 'read the network quotas of the project';
  const quotas = fieldsOf(fieldsOf(await session.read({ service: 'network', path, attempted }))['quota']);
  return IN_NEUTRON.flatMap(([field, name, option]) => {
    const quota = quotas[field];
    if (!isRecord(quota)) return [];
    const used = Number(quota['used']) + Number(quota['reserved'] ?? 0);
    return [judge(name, used, Number(quota['limit']), `quota set --${option}`, project)];
  });
}

/** @param limit negative: unlimited; @param raise the command of an administrator, without its two arguments */
function judge(name: string, used: number, limit: number, raise: string, project: string): Finding {
  const what = `${name}: ${used} of ${limit < 0 ? 'unlimited' : limit}`;
  if (limit < 0 || used < NEAR * limit) return finding('ok', 'quotas', what);
  const remedy = `delete what nobody uses (levelset gc lists what clusters that are gone have left), or have an administrator raise it:\nopenstack ${raise} ${Math.max(2 * limit, used + 10)} ${shellWord(project)}`;
  if (used < limit) return finding('warning', 'quotas', `${what}: nearly used up`, remedy);
  return finding('failure', 'quotas', `${what}: the next Service that needs one fails`, remedy);
}
