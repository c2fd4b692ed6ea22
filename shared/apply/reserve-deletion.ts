import { recent, type Deletion, type RecordedDeletions } from '../model/records.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Key } from '../model/request.ts';
import type { DeletionRecord, World } from '../ports.ts';
import { isSettledWithin } from '../deadline.ts';

export interface PlannedDeletion {
  /** The UID of the Node, or the id of the load balancer. */
  readonly id: string;
  readonly service?: Key;
  readonly what: string;
  readonly record: DeletionRecord;
  /** The recorded deletions that the plan is based on. Whoever deletes records it under their version. */
  readonly recorded: RecordedDeletions;
  /** The time of the facts on which the plan is based, in milliseconds since 1970. */
  readonly seenAt: number;
  readonly planWith: (recorded: RecordedDeletions) => Plan;
}

/** At each try one of the processes succeeds that try at the same moment. */
const MOST_RESERVATIONS = 5;
/** The time for which facts about what is gone prove anything, in milliseconds. After it the next run asks again. */
const PROOF_MS = 10_000;

/**
 * Records a deletion before it is made. If others recorded deletions meanwhile, the plan is made again with theirs,
 * and may delete nothing.
 */
export function reserveDeletion(
  planned: Plan,
  { id, service, what, record, seenAt, planWith, ...leaving }: PlannedDeletion,
  world: Pick<World, 'clock' | 'memory'>,
): Promise<Plan> {
  const { clock } = world;
  return oneByOne(world, async () => {
    let plan = planned;
    let { recorded } = leaving;
    for (let tries = 0; tries < MOST_RESERVATIONS && clock.now() - seenAt < PROOF_MS; tries += 1) {
      if (!deletes(plan)) return plan;
      const now = clock.now();
      const lately = new Set(recent(recorded.deletions, now));
      const isOwn = (one: Deletion): boolean => one.id === id && one.service === service;
      const others = recorded.deletions.filter(
        (one) => !isOwn(one) && (one.at === undefined || lately.has(one)),
      );
      const own = { ...recorded.deletions.find(isOwn), id, ...(service && { service }), at: now };
      if (await record.save([...others, own], recorded)) return plan;
      recorded = await record.load();
      plan = planWith(recorded);
    }
    throw new ReconcileError(
      'CHANGED_MEANWHILE',
      `the deletion of ${what} could not be recorded in time: other processes recorded deletions first`,
    );
  });
}

export function deletes({ steps }: Plan): boolean {
  return steps.some(({ verb }) => verb === 'delete');
}

/** After so long the next one begins: what hangs holds up no other run. */
const LONGEST_MS = 10_000;

/** Of many runs at once only one would get what all try to take. */
function oneByOne<T>({ memory: { deletions } }: Pick<World, 'memory'>, run: () => Promise<T>): Promise<T> {
  const { last: before } = deletions;
  const last = before.then(run);
  deletions.last = before.then(() => isSettledWithin(last, LONGEST_MS));
  return last;
}
