/** The repair of a load balancer in ERROR, or without its VIP port: what the plan has to know, and the record of all processes (decision 310). */
import { isError, ReconcileError } from '../model/errors.ts';
import type { ObservedService } from '../model/load-balancer/observed-service.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import { isAnother, REPLACEMENT } from '../model/plan.ts';
import type { Plan, Step } from '../model/plan.ts';
import { lastingRepairs } from '../model/repairs.ts';
import type { RecordedRepairs, Repair } from '../model/repairs.ts';
import type { WireResource } from '../model/resources.ts';
import type { Unit } from '../model/unit.ts';
import { attempt, readIfPossible } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { listOurLoadBalancers } from './observe/project.ts';
import type { Source } from './observe/questions.ts';
import { isVipPortGone } from './observe/vip-port.ts';
import { IN_ERROR, VIP_PORT_GONE } from './plan/plan-repair.ts';
import type { RepairFacts } from './plan/plan-repair.ts';
import { letsIn } from './plan/what-can-be-done-now.ts';
import { tellsTrouble } from './report/tells-trouble.ts';

/** The facts, and the version of the record that they are from. */
export interface Repairing {
  readonly facts: RepairFacts;
  readonly recorded: RecordedRepairs;
}

interface Repaired {
  readonly unit: Pick<Unit, 'key'>;
  readonly observed: { readonly loadBalancer?: WireResource };
  readonly plan: Pick<Plan, 'steps'>;
  readonly repairing?: Repairing;
}

/** The time for which one list serves the runs of all Services whose load balancers are in ERROR, in milliseconds. */
const KEEP_MS = 2_000;

/**
 * Whether the load balancer's VIP port is gone. A run asks Neutron only where it has reason to: before it puts the floating IP on that
 * port, where the condition tells of trouble, and where a sweep or a person asked for a run that has nothing to do, or may leave drift as
 * it is. Before it deletes a load balancer that was to take this one's place it has to know, so it throws if Neutron does not answer.
 */
export async function lostVipPort(
  { service, wanted, letGo, withLeftovers }: Unit,
  { loadBalancer: lb, resources }: Pick<ObservedService, 'loadBalancer' | 'resources'>,
  { steps }: Pick<Plan, 'steps'>,
  reports: boolean,
  world: Source,
): Promise<boolean> {
  if (!service || !wanted || letGo || !lb || world.project) return false;
  // Neutron takes a floating IP off a port that it deletes, so the port is there, whoever may see it
  if (resources.some(({ kind, wire }) => kind === 'floatingip' && wire['port_id'] === lb['vip_port_id']))
    return false;
  if (steps.some(({ address, verb }) => address === REPLACEMENT && verb === 'delete'))
    return isLost(lb, world);
  const isDue =
    steps.some((step) => letsIn(step, lb)) || (withLeftovers === true && (steps.length === 0 || reports));
  if (!isDue && !tellsTrouble(service)) return false;
  return (await readIfPossible(world, 'VIP ports', () => isLost(lb, world))) === true;
}

async function isLost(lb: WireResource, { cloud, kube }: Source): Promise<boolean> {
  return (await isVipPortGone(lb, cloud)) && (await lostPorts([lb], kube)).has(lb.id);
}

/**
 * Of load balancers whose VIP port Neutron does not show, the ids of those that have lost it. A failover makes a port anew that is gone,
 * so one that has the same id after a failover is there: it is of another project. Without the record all count as lost.
 */
export async function lostPorts(
  unseen: readonly WireResource[],
  { repairs }: Pick<World['kube'], 'repairs'>,
): Promise<ReadonlySet<string>> {
  const recorded = unseen.length > 0 ? await attempt(repairs.load()) : undefined;
  const noted = recorded === undefined || isError(recorded) ? [] : recorded.repairs;
  const kept = new Map(noted.flatMap(({ id, port }) => (port === undefined ? [] : [[id, port]])));
  const isLost = (lb: WireResource): boolean =>
    lb['provisioning_status'] !== 'ACTIVE' || kept.get(lb.id) !== lb['vip_port_id'];
  return new Set(unseen.filter(isLost).map(({ id }) => id));
}

/** Reads what a repair needs. Undefined if nothing is to be repaired. */
export async function readRepair(
  { key, wanted, letGo }: Unit,
  { loadBalancer: lb, vipPortGone }: Pick<ObservedService, 'loadBalancer' | 'vipPortGone'>,
  cluster: ClusterIdentity,
  world: Source & Pick<World, 'config'>,
): Promise<Repairing | undefined> {
  if (!wanted || letGo || !lb) return undefined;
  if (lb['provisioning_status'] !== 'ERROR' && !vipPortGone) return undefined;
  const { cloud, clock, memory, kube, config } = world;
  const [all, recorded] = await Promise.all([
    memory.answers.read('load balancers to repair', { keepMs: KEEP_MS, clock }, () =>
      listOurLoadBalancers(cluster, cloud),
    ),
    kube.repairs.load(),
  ]);
  const vipPorts = new Map(all.map(({ id, vip_port_id: port }) => [id, port]));
  const now = clock.now();
  const facts: RepairFacts = {
    key,
    wrong: vipPortGone ? VIP_PORT_GONE : IN_ERROR,
    all: [...vipPorts.keys()],
    repairs: lastingRepairs(recorded.repairs, now, vipPorts),
    percent: config.deletionPercent,
    now,
  };
  return { facts, recorded };
}

/**
 * Records a repair before it is made: a process that dies in between has counted one too many. Throws CHANGED_MEANWHILE if
 * another process recorded one since, so that the next run plans with it.
 */
export async function recordRepair(
  { plan, repairing, unit, observed }: Repaired,
  { kube, clock }: Pick<World, 'kube' | 'clock'>,
): Promise<Repair | undefined> {
  const repair = plan.steps.map(repairOf).find((one) => one !== undefined);
  const { loadBalancer: lb } = observed;
  if (!repairing || !lb || repair === undefined) return undefined;
  const before = repairing.facts.repairs;
  if (repair.how === 'rebuild' && before.some((one) => one.how === 'rebuild' && one.id === lb.id))
    return undefined;
  const own: Repair = { ...repair, id: lb.id, service: unit.key, at: clock.now() };
  if (await kube.repairs.save([...before, own], repairing.recorded)) return own;
  throw new ReconcileError('CHANGED_MEANWHILE', 'another process recorded a repair at the same moment');
}

/** Notes for which VIP port a failover was made that Octavia has taken. Without the note it counts for a day, as any other. */
export async function noteFailover(
  failover: Repair,
  { observed }: { readonly observed: Pick<ObservedService, 'loadBalancer' | 'vipPortGone'> },
  { kube }: Pick<World, 'kube'>,
): Promise<void> {
  const port = observed.loadBalancer?.['vip_port_id'];
  if (failover.how !== 'failover' || !observed.vipPortGone || typeof port !== 'string') return;
  const loaded = await kube.repairs.load();
  const noted = loaded.repairs.map((one) =>
    one.id === failover.id && one.at === failover.at ? { ...one, port } : one,
  );
  await kube.repairs.save(noted, loaded);
}

/**
 * Takes back what was recorded of a failover that an answer refused, or that was not sent: it takes no room in the budget. One that the
 * cloud never allows is not tried again, and any other is.
 */
export async function takeBack(
  failover: Repair,
  error: ReconcileError | undefined,
  { kube }: Pick<World, 'kube'>,
): Promise<void> {
  if (failover.how !== 'failover' || (error && error.context.status === undefined)) return;
  const loaded = await kube.repairs.load();
  const others = loaded.repairs.filter(({ id, at }) => id !== failover.id || at !== failover.at);
  const refused = error?.code === 'FAILOVER_REFUSED' ? [{ ...failover, how: 'refused' as const }] : [];
  await kube.repairs.save([...others, ...refused], loaded);
}

function repairOf(step: Step): Pick<Repair, 'how' | 'approved'> | undefined {
  if (step.verb === 'failover') return { how: 'failover', ...(step.approved ? { approved: true } : {}) };
  return isAnother(step) ? { how: 'rebuild' } : undefined;
}
