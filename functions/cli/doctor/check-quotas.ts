import { isError } from '../../../shared/model/errors.ts';
import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { tried, type Examined } from './examined.ts';
import { finding, shellWord, type Finding } from './finding.ts';

/** From this share on a quota is near its end. */
const NEAR = 0.9;

/** What the project has used of its quotas: a Service takes one of each, and a port and a rule for each address and range. */
export async function checkQuotas({ connected }: Examined): Promise<readonly Finding[]> {
  const read = await Promise.all([tried(octaviaQuotas(connected)), tried(neutronQuotas(connected))]);
  const remedy = 'a user without access rules can read them:\nopenstack quota show --usage';
  return [
    ...read.flatMap((quotas) => (isError(quotas) ? [] : quotas)),
    ...read.filter(isError).map(({ message }) => finding('note', 'quotas', `not read: ${message}`, remedy)),
  ];
}

type Connected = Examined['connected'];

async function octaviaQuotas({ world: { cloud } }: Connected): Promise<readonly Finding[]> {
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
async function neutronQuotas({ session }: Connected): Promise<readonly Finding[]> {
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
