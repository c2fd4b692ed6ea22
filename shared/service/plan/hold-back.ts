/** Why something of a Service that is gone, or was let go, is not deleted, and the approvals that let it go. */
import type { Config } from '../../config/config.ts';
import { DELETIONS, recent } from '../../model/deletions.ts';
import type { Deletion, RecordedDeletions } from '../../model/deletions.ts';
import type { Service } from '../../model/kubernetes.ts';
import { LOAD_BALANCER_ID, tagValue } from '../../model/ownership.ts';
import type { Plan } from '../../model/plan.ts';
import type { Key } from '../../model/request.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { approvalOf } from '../../plan/approval.ts';
import { overBudget } from '../../plan/deletion-budget.ts';

/**
 * The approval to delete what one Service that has vanished has on one load balancer. The tag with the UID of the Service is
 * part of it: a new Service of that name, which inherits the load balancer, is another one.
 */
export function approvalOfDeletion(key: Key, { id, tags }: WireResource): string {
  return approvalOf(['vanished', key, id, tagValue(tags, 'service') ?? null]);
}

/**
 * The approval to delete what a Service has that was let go. It names the load balancer and the time since when the Service says
 * that it was let go, so an approval from before does not hold if levelset has looked after the Service since.
 */
export function approvalOfLetGo(
  { metadata: { uid, annotations } }: Service,
  since: string | undefined,
): string {
  return approvalOf([uid, 'let go', annotations?.[LOAD_BALANCER_ID] ?? null, since ?? null]);
}

export interface LeftBehind {
  readonly key: Key;
  /** The load balancer, or without one all that is left. */
  readonly lead: readonly WireResource[];
  /** What of it serves, and so needs room in the deletion budget. */
  readonly serves: WireResource | undefined;
  /** Without one the rest follows what was begun. */
  readonly loadBalancerId: string | undefined;
}

/** The time in milliseconds since 1970, and how such a time is written. */
interface Moment {
  readonly now: number;
  readonly inWords: (ms: number) => string;
}

/** Why something stays, for people, and whether that is its quarantine, which a sweep waits for. */
interface Staying {
  readonly why: string;
  readonly inQuarantine: boolean;
}

/** Undefined if it may go now, or if its deletion was begun. */
export function whyStays(
  { key, lead, serves, loadBalancerId }: LeftBehind,
  { deletions, approved }: RecordedDeletions,
  all: readonly string[],
  { orphanDelayMs, deletionPercent: percent }: Pick<Config, 'orphanDelayMs' | 'deletionPercent'>,
  { now, inWords }: Moment,
): Staying | undefined {
  const own = deletions.filter(({ id, service }) => service === key && lead.some((wire) => wire.id === id));
  const isBegun = recent(deletions, now).some(
    ({ id, service }) => service === key && id === (loadBalancerId ?? id),
  );
  if (isBegun || lead.some((wire) => approved.includes(approvalOfDeletion(key, wire)))) return undefined;
  const found = own.flatMap(({ foundAt }) => foundAt ?? []);
  if (found.length === 0)
    return { why: 'no sweep has put it in quarantine yet (--orphan-delay)', inQuarantine: true };
  const endsMs = Math.min(...found) + orphanDelayMs;
  // another process may have written the time, by a clock that is ahead
  if (orphanDelayMs > 0 && endsMs > now)
    return {
      why: `it is in quarantine until ${inWords(endsMs)} (--orphan-delay), and is deleted after that within the deletion budget`,
      inQuarantine: true,
    };
  if (!serves) return undefined;
  const why = overBudget(
    { id: serves.id, all, together: goTogether(key, deletions, all), deletions, percent, now },
    'load balancer',
  );
  return why === undefined ? undefined : { why, inQuarantine: false };
}

/**
 * The load balancers that go together: all or none of them. A namespace that alone loses more than all others may hold up itself, not
 * them: whoever may delete Services there, and takes the finalizer off, would else stop every other deletion.
 */
function goTogether(key: Key, deletions: readonly Deletion[], all: readonly string[]): readonly string[] {
  const there = new Set(all);
  const due = deletions.filter(({ id, at }) => at === undefined && there.has(id));
  const namespaceOf = (service: Key | undefined): string => service?.split('/')[1] ?? '';
  const most = Math.max(1, due.length / 2);
  return [...Map.groupBy(due, ({ service }) => namespaceOf(service))]
    .filter(([namespace, ones]) => namespace === namespaceOf(key) || ones.length <= most)
    .flatMap(([, ones]) => ones.map(({ id }) => id));
}

/** The plan with a refusal in place of its steps. */
export function holdBack(
  plan: Plan,
  { address, kind, wire }: ObservedResource,
  why: string,
  key: Key,
  { stateNamespace }: Config,
): Plan {
  const reason = `its Service is gone without having been deleted; ${why}; the approval belongs on ConfigMap ${stateNamespace}/${DELETIONS}`;
  return {
    ...plan,
    steps: [],
    refused: [{ address, kind, changes: [], reason, approval: approvalOfDeletion(key, wire) }],
  };
}
