/**
 * THE PAGE of a Node, whatever woke levelset:
 *
 *   read the Node -> observe -> desire -> plan -> reserve -> apply -> report
 *
 * No Lease is needed: each write has the resourceVersion that was read, so the apiserver refuses the later of two runs.
 */
import { apply, type Applied } from '../apply/apply.ts';
import { ReconcileError } from '../model/errors.ts';
import { type Outcome, type Run, outcomeOfError } from '../model/outcome.ts';
import { compareNode, isAtWork, type NodeComparison } from './compare-node.ts';
import { nodeAt } from '../model/node/node.ts';
import { asNodeKey, isByPerson, isByEvent, type ReconcileRequest } from '../model/request.ts';
import type { Budget, World } from '../ports.ts';
import { readOneByOne } from './observe-server.ts';
import { outcomeOfNode, summarizeNode, reportToNode } from './report/report-node.ts';
import { tellPlan } from '../report/condition.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';

export async function reconcileNode(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const name = asNodeKey(request.key);
  if (name === undefined)
    throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Node`);

  // read: an event about a Node at work says nothing of its server
  const node = await world.kube.getNode(name);
  if (!node) return { ...NOTHING, missing: true };
  if (isByEvent(request) && isAtWork(node)) return NOTHING;

  // observe, desire, plan: find the server, derive the Node from it, and compare
  const first = await compareNode(node, readOneByOne(world, isByPerson(request) ? 'now' : 'lately'), world);
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };

  // reserve: record a deletion in the budget of all processes. If others used it up, the plan refuses the deletion
  const { leaving } = first;
  const plan =
    leaving && deletes(first.plan) ? await reserveDeletion(first.plan, leaving, world) : first.plan;
  const comparison = { ...first, plan };

  // apply: one PATCH for each half of the Node, or its deletion
  tellPlan(plan, world);
  const applied = await apply(plan.steps, first.observed, { ...world, budget });

  // report: condition and Events for the Node, and for the queue whether members of load balancers change
  return {
    outcome: await report(comparison, applied, world),
    plan,
    applied: applied.steps,
    ...(changesMembers(comparison, applied) ? { membersMoved: true } : {}),
  };
}

const NOTHING: Run = { outcome: { status: 'settled' }, applied: [] };

async function report(
  comparison: NodeComparison,
  applied: Applied,
  { kube, clock }: World,
): Promise<Outcome> {
  const outcome = outcomeOfNode(comparison, applied);
  try {
    const summary = summarizeNode({ comparison, applied, outcome, now: clock.now() });
    await reportToNode(comparison.node, summary, applied, kube);
    return outcome;
  } catch (error) {
    if (error instanceof ReconcileError) return outcomeOfError(error);
    throw error;
  }
}

/** Whether members of load balancers may change. levelset gets no event about its own writes. */
function changesMembers({ node }: NodeComparison, { steps }: Applied): boolean {
  return steps.some((step) => step.address === nodeAt(node.metadata.name) || step.kind === 'nodestatus');
}
