/** The repair of a load balancer in ERROR: what the plan has to know, and the record of all processes (decision 310). */
import { ReconcileError } from '../model/errors.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import { createsReplacement, type Plan, type Step } from '../model/plan.ts';
import { ofLastDay, type RecordedRepairs, type Repair } from '../model/records.ts';
import type { WireResource } from '../model/resources.ts';
import type { ServiceObject } from '../model/service-object.ts';
import type { World } from '../ports.ts';
import { listOurLoadBalancers } from './observe/project.ts';
import type { Source } from './observe/questions.ts';
import type { RepairFacts } from './plan/plan-repair.ts';

/** The facts, and the version of the record that they are from. */
export interface Repairing {
  readonly facts: RepairFacts;
  readonly recorded: RecordedRepairs;
}

interface Repaired {
  readonly object: Pick<ServiceObject, 'key'>;
  readonly observed: { readonly loadBalancer?: WireResource };
  readonly plan: Pick<Plan, 'steps'>;
}

/** The time for which one list serves the runs of all Services whose load balancers are in ERROR, in milliseconds. */
const KEEP_MS = 2_000;

export async function readRepair(
  { key, wanted, released }: ServiceObject,
  cluster: ClusterIdentity,
  world: Source & Pick<World, 'config'>,
): Promise<Repairing | undefined> {
  if (!wanted || released) return undefined;
  const { cloud, clock, memory, kube, config } = world;
  const [all, recorded] = await Promise.all([
    memory.answers.read('load balancers to repair', { keepMs: KEEP_MS, clock }, () =>
      listOurLoadBalancers(cluster, cloud),
    ),
    kube.repairs.load(),
  ]);
  const now = clock.now();
  const facts: RepairFacts = {
    key,
    all: all.map(({ id }) => id),
    repairs: ofLastDay(recorded.repairs, now),
    percent: config.deletionPercent,
    now,
  };
  return { facts, recorded };
}

/** Records a repair before it is made: a process that dies has counted one too many. Throws CHANGED_MEANWHILE if another process recorded one. */
export async function recordRepair(
  { plan, object, observed }: Repaired,
  { facts, recorded }: Repairing,
  { kube, clock }: Pick<World, 'kube' | 'clock'>,
): Promise<Repair | undefined> {
  const how = plan.steps.map(repairOf).find((one) => one !== undefined);
  const { loadBalancer: lb } = observed;
  if (!lb || how === undefined) return undefined;
  const before = facts.repairs;
  if (how === 'rebuild' && before.some((one) => one.how === 'rebuild' && one.id === lb.id)) return undefined;
  const own: Repair = { how, id: lb.id, service: object.key, at: clock.now() };
  if (await kube.repairs.save([...before, own], recorded)) return own;
  throw new ReconcileError('CHANGED_MEANWHILE', 'another process recorded a repair at the same moment');
}

/** A failover that was refused or not sent takes no room in the budget. What the cloud never allows is not tried again. */
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

function repairOf(step: Step): Repair['how'] | undefined {
  if (step.verb === 'failover') return 'failover';
  return createsReplacement(step) ? 'rebuild' : undefined;
}
