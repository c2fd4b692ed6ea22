/** Between the plan to delete a Node and its execution: no Node goes that has not drawn from the budget of all functions. */
import type { NodeEvaluation } from './evaluate-node.ts';
import { ReconcileError } from '../model/errors.ts';
import { recent } from '../model/node/node-records.ts';
import type { Plan } from '../model/plan.ts';
import { oneByOne } from './one-by-one.ts';
import { deletes } from './plan/plan-node.ts';
import type { World } from '../ports.ts';

/** Others that draw at the same moment win one each. */
const MOST_TRIES = 5;
/** What was seen of servers is proof for so long; who waits longer for others looks again. */
const PROOF_MS = 10_000;

/**
 * Draws before the Node goes: a process that dies in between has drawn for nothing. Where others were faster the brake is asked
 * with what they recorded, and the plan that is answered may delete nothing any more.
 */
export function reserveDeletion(evaluation: NodeEvaluation, world: World): Promise<Plan> {
  const { kube, clock } = world;
  const { leaving } = evaluation;
  const { name, uid } = evaluation.node.metadata;
  if (!leaving) throw new TypeError(`nobody asked whether ${name} may go`);
  return oneByOne('deletions', world, async () => {
    let { plan } = evaluation;
    let { recorded } = leaving;
    for (let tries = 0; tries < MOST_TRIES && clock.now() - leaving.seenAt < PROOF_MS; tries += 1) {
      if (!deletes(plan)) return plan;
      const now = clock.now();
      const others = recent(recorded.deletions, now).filter((one) => one.uid !== uid);
      if (await kube.deletions.save([...others, { uid, at: now }], recorded)) return plan;
      recorded = await kube.deletions.load();
      plan = leaving.planWith(recorded);
    }
    throw new ReconcileError(
      'CHANGED_MEANWHILE',
      `other processes used the deletion budget of this hour before Node ${name}`,
    );
  });
}
