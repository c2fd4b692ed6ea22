import { recent, type Deletion } from '../model/records.ts';
import { onceFor } from '../model/once-for.ts';

export interface DeletionBudget {
  /** What is to be deleted: the UID of a Node, or the id of a load balancer. */
  readonly id: string;
  /** The ids of all, or of those that existed a moment ago. What was deleted lately counts, too. */
  readonly all: readonly string[];
  readonly deletions: readonly Deletion[];
  /** The share of all that may be deleted within an hour, and at least one. 0 allows none. */
  readonly percent: number;
  readonly now: number;
}

/** The reason why the deletion budget allows no further deletion of `what`; undefined if it does. */
export function overBudget(budget: DeletionBudget, what: string): string | undefined {
  const { id, all, deletions, percent, now } = budget;
  if (percent === 0) return '--deletion-share=0% allows no deletion';
  const gone = recent(deletions, now).flatMap((one) => (one.id === id ? [] : one.id));
  const lately = new Set(gone);
  // what has just been deleted may be in a list that was made before
  const total = setOf(all).size + [...lately].filter((one) => !setOf(all).has(one)).length;
  const most = Math.max(1, Math.floor((total * percent) / 100));
  if (lately.size < most) return undefined;
  const those = gone.length === 1 ? `1 ${what} was` : `${gone.length} ${what}s were`;
  return `${those} deleted within the last hour, and --deletion-share=${percent}% allows ${most} of ${total} in an hour`;
}

/** The ids of all are the same for each of thousands that go together. */
const setOf = onceFor((ids: readonly string[]): ReadonlySet<string> => new Set(ids));
