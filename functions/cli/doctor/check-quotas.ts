import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';
import { shellWord } from './shell-word.ts';

/** From this share on a quota is near its end. */
const NEAR = 0.9;

interface Quota {
  readonly name: string;
  readonly used: number;
  /** Negative: unlimited. */
  readonly limit: number;
  /** The command with which an administrator raises it. */
  readonly raise: (limit: number) => string;
}

/** What the project has used of its quotas: a Service takes one of each, and a port and a rule for each address and range. */
export async function checkQuotas({ connected }: Examined): Promise<readonly Finding[]> {
  const [octavia, neutron] = await Promise.all([
    tried(() => octaviaQuotas(connected)),
    tried(() => neutronQuotas(connected)),
  ]);
  const read = [octavia, neutron].flatMap((quotas) => ('value' in quotas ? quotas.value : []));
  const unread = [octavia, neutron].flatMap((quotas) =>
    'error' in quotas ? [unreadable(quotas.error.message)] : [],
  );
  return [...read.map(judge), ...unread];
}

type Connected = Examined['connected'];

async function octaviaQuotas({ world: { cloud } }: Connected): Promise<readonly Quota[]> {
  const [project, limits, loadBalancers, listeners] = await Promise.all([
    cloud.projectId(),
    cloud.quota(),
    cloud.list('loadbalancer'),
    cloud.list('listener'),
  ]);
  const quota = (name: string, field: string, used: number): Quota => ({
    ...{ name, used, limit: limits[field] ?? -1 },
    raise: (limit) => `openstack loadbalancer quota set --${field} ${limit} ${shellWord(project)}`,
  });
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
async function neutronQuotas({ session }: Connected): Promise<readonly Quota[]> {
  const project = await session.projectId();
  const body = await session.read({
    service: 'network',
    path: `/v2.0/quotas/${project}/details.json`,
    attempted: 'read the network quotas of the project',
  });
  const quotas = fieldsOf(fieldsOf(body)['quota']);
  return IN_NEUTRON.flatMap(([field, name, option]) => {
    const quota = quotas[field];
    if (!isRecord(quota)) return [];
    const used = Number(quota['used']) + Number(quota['reserved'] ?? 0);
    const raise = (limit: number): string => `openstack quota set --${option} ${limit} ${shellWord(project)}`;
    return [{ name, used, limit: Number(quota['limit']), raise }];
  });
}

function judge({ name, used, limit, raise }: Quota): Finding {
  const what = `${name}: ${used} of ${limit < 0 ? 'unlimited' : limit}`;
  if (limit < 0 || used < NEAR * limit) return { area: 'quotas', level: 'ok', what };
  const remedy = `delete what nobody uses (levelset gc lists what clusters that are gone have left), or have an administrator raise it:\n${raise(Math.max(2 * limit, used + 10))}`;
  return used < limit
    ? { area: 'quotas', level: 'warning', what: `${what}: nearly used up`, remedy }
    : { area: 'quotas', level: 'failure', what: `${what}: the next Service that needs one fails`, remedy };
}

function unreadable(message: string): Finding {
  const remedy = 'a user without access rules can read them:\nopenstack quota show --usage';
  return { area: 'quotas', level: 'note', what: `not read: ${message}`, remedy };
}
