/**
 * Services that have vanished: they are gone, and levelset saw neither a deletionTimestamp nor a change of their type. That is
 * what an apiserver restored from a backup looks like. Their load balancers have a deletion budget (decision 151).
 */
import type { Leaving } from '../apply/reserve-deletion.ts';
import type { Config } from '../config/config.ts';
import { DELETIONS, recent } from '../model/deletions.ts';
import type { RecordedDeletions } from '../model/deletions.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Service } from '../model/kubernetes.ts';
import type { ObservedService } from '../model/load-balancer/observed-service.ts';
import { tagValue } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Plan } from '../model/plan.ts';
import { parseKey } from '../model/request.ts';
import type { Key } from '../model/request.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Unit } from '../model/unit.ts';
import { attempt } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import type { Evaluation } from './evaluate.ts';
import { listOurLoadBalancers } from './observe/project.ts';
import { goneFrom, isLookedAfter } from './orphans.ts';
import { approvalOfDeletion, holdBack, whyHoldBack } from './plan/hold-back.ts';
import type { HeldInWords } from './plan/hold-back.ts';
import { leadIn, whyInQuarantine } from './quarantine.ts';
import { isSeenLeaving, notVanished } from './unit.ts';

/** A load balancer, and a Service of it that has vanished. */
export interface Vanished {
  readonly key: Key;
  readonly loadBalancerId: string;
  readonly approval: string;
}

/** The facts for the deletion budget of load balancers. */
export interface VanishedServices {
  /** The ids of all load balancers of this cluster. */
  readonly all: readonly string[];
  readonly vanished: readonly Vanished[];
}

/** Finds the Services that have vanished. A load balancer that is being deleted does not count. */
export function findVanished(
  services: readonly Service[],
  loadBalancers: readonly WireResource[],
  cluster: ClusterIdentity,
  config: Config,
): VanishedServices {
  const live = services.filter((service) => isLookedAfter(service, config));
  const seen = notVanished(services, config);
  const there = loadBalancers.filter((lb) => lb['provisioning_status'] !== 'PENDING_DELETE');
  const vanished = there.flatMap((lb) =>
    goneFrom(lb, services, live, cluster)
      .flatMap((name) => parseKey(`service/${name ?? ''}`) ?? [])
      .filter((key) => !seen.has(key))
      .map((key) => ({ key, loadBalancerId: lb.id, approval: approvalOfDeletion(key, lb) })),
  );
  return { all: there.map(({ id }) => id), vanished };
}

function hasVanished({ wanted, letGo, service }: Unit, config: Config): boolean {
  return !wanted && !letGo && !(service && isSeenLeaving(service, config));
}

/**
 * The evaluation with its deletion in the budget: of a Service that has vanished it has the plan, or a refusal while what is left
 * is in quarantine, and if something of it serves, while the budget does not allow it.
 */
export async function withinBudget(evaluation: Evaluation, world: World): Promise<Evaluation> {
  const { unit, plan, cluster, observed } = evaluation;
  const { kube, clock, config } = world;
  if (plan.steps.length === 0 || !hasVanished(unit, config)) return evaluation;
  const kept = await inQuarantine(evaluation, world);
  if (kept) return kept;
  const serves = whatServes(observed);
  if (!serves) return evaluation;
  const seenAt = clock.now();
  const record = kube.deletions.loadBalancers;
  const [facts, recorded] = await Promise.all([readVanished(cluster, world), record.load()]);
  const { id } = serves;
  const approval = approvalOfDeletion(unit.key, serves.wire);
  const planWith = (others: RecordedDeletions): Plan => {
    if (
      isBegun({ key: unit.key, loadBalancerId: observed.loadBalancer?.id }, others, clock.now()) ||
      others.approved.includes(approval)
    )
      return plan;
    const why = whyHoldBack({ ...facts, id, ...others, percent: config.deletionPercent, now: clock.now() });
    return why === undefined ? plan : holdBack(plan, serves, why, approval, whereToApprove(config));
  };
  const what = `what ${unit.key} has (${id})`;
  const leaving: Leaving = { id, service: unit.key, what, record, recorded, seenAt, planWith };
  return { ...evaluation, plan: planWith(recorded), leaving };
}

/** The evaluation with a refusal while what is left is in quarantine; undefined if it is not, or if its deletion was begun. */
async function inQuarantine(evaluation: Evaluation, world: World): Promise<Evaluation | undefined> {
  const { unit, plan, observed } = evaluation;
  const { kube, clock, config } = world;
  if (config.orphanDelayMs === 0) return undefined;
  const [quarantined, begun] = await Promise.all([
    kube.deletions.quarantine.load(),
    kube.deletions.loadBalancers.load(),
  ]);
  const wires = leadIn(observed);
  const lead = observed.resources.find(({ id }) => wires.some((wire) => wire.id === id));
  const why = whyInQuarantine(unit.key, wires, quarantined, world);
  const is = { key: unit.key, loadBalancerId: observed.loadBalancer?.id };
  if (!lead || why === undefined || isBegun(is, begun, clock.now())) return undefined;
  const kept = holdBack(plan, lead, why, approvalOfDeletion(unit.key, lead.wire), whereToApprove(config));
  const leaving: Leaving = {
    id: lead.id,
    service: unit.key,
    what: `what ${unit.key} has left`,
    record: kube.deletions.quarantine,
    recorded: quarantined,
    seenAt: clock.now(),
    planWith: () => kept,
  };
  return { ...evaluation, plan: kept, leaving };
}

/**
 * Whether the deletion of what this Service has was recorded. One of another Service on the load balancer does not count. If
 * there is no load balancer any more, the rest follows it.
 */
function isBegun(
  { key, loadBalancerId }: { readonly key: Key; readonly loadBalancerId: string | undefined },
  { deletions }: RecordedDeletions,
  now: number,
): boolean {
  return recent(deletions, now).some(({ id, service }) => service === key && id === (loadBalancerId ?? id));
}

/**
 * Takes the approval to delete out of the record once the Service is there again. If the load balancer's tag has the
 * Service's UID, the approval is for another UID, and nothing is read.
 */
export async function forgetApproval({ unit, observed }: Evaluation, world: World): Promise<void> {
  const { loadBalancer: lb } = observed;
  if (!lb || tagValue(lb['tags'], 'service') === unit.service?.metadata.uid) return;
  const record = world.kube.deletions.loadBalancers;
  const recorded = await attempt(record.load());
  const approval = approvalOfDeletion(unit.key, lb);
  // who cannot read the record deletes nothing
  if (recorded instanceof ReconcileError || !recorded.approved.includes(approval)) return;
  const left = recorded.approved.filter((one) => one !== approval);
  if (await record.save(recorded.deletions, recorded, left)) return;
  throw new ReconcileError('KUBE_CONFLICT', `${DELETIONS} was written meanwhile`);
}

/**
 * The load balancer. If it is not found, perhaps since its tags are gone, what it may still need: a floating IP of the Service or a
 * security group that is on some port, or a stored certificate, of which nobody says who uses it.
 */
function whatServes({ loadBalancer, resources }: ObservedService): ObservedResource | undefined {
  if (loadBalancer) return resources.find(({ kind }) => kind === 'loadbalancer');
  const isOnPort = (group: string): boolean =>
    resources.some(({ kind, wire }) => kind === 'port' && [wire['security_groups']].flat().includes(group));
  return resources.find(({ kind, owned, id, wire }) => {
    if (!owned) return false;
    if (kind === 'securitygroup') return isOnPort(id);
    return kind === 'secret' || (kind === 'floatingip' && wire['port_id']);
  });
}

/** The time for which one list serves the runs of all Services that have vanished together, in milliseconds. */
const KEEP_MS = 2_000;

function readVanished(cluster: ClusterIdentity, world: World): Promise<VanishedServices> {
  const { kube, cloud, clock, memory, config } = world;
  return memory.answers.read('vanished Services', { keepMs: KEEP_MS, clock }, async () => {
    const [services, loadBalancers] = await Promise.all([
      kube.listServices(),
      listOurLoadBalancers(cluster, cloud),
    ]);
    return findVanished(services, loadBalancers, cluster, config);
  });
}

function whereToApprove({ stateNamespace }: Config): string {
  return `ConfigMap ${stateNamespace}/${DELETIONS}`;
}

/** What a sweep says about load balancers that are held back, with the approvals that release exactly these. Those in quarantine are told apart. */
export function heldBackInWords(
  facts: VanishedServices,
  recorded: RecordedDeletions,
  inQuarantine: ReadonlySet<Key>,
  { config: { deletionPercent: percent }, clock }: Pick<World, 'config' | 'clock'>,
): HeldInWords {
  const held = facts.vanished.flatMap((one) => {
    const { key, loadBalancerId: id, approval } = one;
    if (inQuarantine.has(key) || isBegun(one, recorded, clock.now())) return [];
    if (recorded.approved.includes(approval)) return [];
    const why = whyHoldBack({ ...facts, id, ...recorded, percent, now: clock.now() });
    return why === undefined ? [] : [{ name: key.slice('service/'.length), id, approval, why }];
  });
  const [first] = held;
  const names = held.map(({ name, id }) => `${name} (load balancer ${id})`).join(', ');
  const words = `levelset keeps what these Services have in OpenStack, since they are gone without having been deleted: ${names}. ${first?.why ?? ''}`;
  return {
    words: first ? [words] : [],
    approvals: held.map(({ approval }) => approval),
    approved: recorded.approved,
  };
}
