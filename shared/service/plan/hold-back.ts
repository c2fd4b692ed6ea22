/** Why what a Service has left that is gone, without having been seen to leave, is not deleted yet (decision 151). */
import type { Config } from '../../config/config.ts';
import { recent, type Deletion } from '../../model/records.ts';
import type { Plan } from '../../model/plan.ts';
import type { Key } from '../../model/request.ts';
import type { ObservedResource } from '../../model/resources.ts';
import { overBudget } from '../../plan/deletion-budget.ts';

export interface LeftBehind {
  readonly key: Key;
  /** Ids of the load balancer, or without one of all that is left. */
  readonly ids: readonly string[];
  /** The id of what of it serves, and so counts in the deletion budget. */
  readonly serves: string | undefined;
  /** Without one the rest follows what was begun. */
  readonly loadBalancerId: string | undefined;
}

interface Moment {
  /** Milliseconds since 1970. */
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
  { key, ids, serves, loadBalancerId }: LeftBehind,
  deletions: readonly Deletion[],
  all: readonly string[],
  { orphanDelayMs, deletionPercent: percent }: Pick<Config, 'orphanDelayMs' | 'deletionPercent'>,
  { now, inWords }: Moment,
): Staying | undefined {
  const own = deletions.filter(({ service }) => service === key);
  if (recent(own, now).some(({ id }) => id === (loadBalancerId ?? id))) return undefined;
  const found = own.flatMap(({ id, foundAt }) => (ids.includes(id) ? (foundAt ?? []) : []));
  if (found.length === 0)
    return {
      why: 'no sweep has found it yet, and levelset keeps it for --orphan-delay from then on',
      inQuarantine: true,
    };
  const endsMs = Math.min(...found) + orphanDelayMs;
  // another process may have written the time, by a clock that is ahead
  if (orphanDelayMs > 0 && endsMs > now)
    return {
      why: `levelset keeps it until ${inWords(endsMs)} (--orphan-delay), and deletes it after that as far as --deletion-share allows`,
      inQuarantine: true,
    };
  if (serves === undefined) return undefined;
  const why =
    overBudget({ id: serves, all, deletions, percent, now }, 'load balancer') ??
    whyNamespaceWaits(key, { id: serves, all, deletions, percent, now });
  return why === undefined ? undefined : { why, inQuarantine: false };
}

/** One namespace has half of the budget: whoever may take finalizers off there would else stop every other deletion. */
function whyNamespaceWaits(
  key: Key,
  { percent, deletions, ...budget }: Parameters<typeof overBudget>[0],
): string | undefined {
  const namespaceOf = (service: Key | undefined): string => service?.split('/')[1] ?? '';
  const own = deletions.filter(({ service }) => namespaceOf(service) === namespaceOf(key));
  if (percent === 100) return undefined;
  const isOver = overBudget({ ...budget, deletions: own, percent: percent / 2 }, 'load balancer');
  return (
    isOver && `namespace ${namespaceOf(key)} has used its half of what --deletion-share allows in an hour`
  );
}

export function holdBack(plan: Plan, { address, kind }: ObservedResource, why: string): Plan {
  const reason = `its Service is gone, and levelset did not see its deletion; ${why}`;
  return { ...plan, steps: [], refused: [{ address, kind, changes: [], reason }] };
}
