/**
 * THE PAGE of a Node, whatever woke levelset:
 *
 *   read the Node -> observe -> desire -> plan -> reserve -> apply -> report
 *
 * No Lease is needed: each write has the resourceVersion that was read, so the apiserver refuses the later of two runs.
 */
import { apply } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { releaseStaleClaims, reserve } from './reserve.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Outcome, Run } from '../model/outcome.ts';
import { evaluateNode } from './evaluate-node.ts';
import type { NodeEvaluation } from './evaluate-node.ts';
import { isAtWork } from './is-at-work.ts';
import { nodeAt } from '../model/node/node.ts';
import { asNodeKey, isByPerson, isHint } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import type { Budget, World } from '../ports.ts';
import { readOneByOne } from './server-reading.ts';
import { outcomeOfNode, summarizeNode, reportToNode } from './report/report-node.ts';
import { tellPlan } from '../report/plan-notes.ts';
import { outcomeOfError } from '../report/outcome-of-error.ts';

export async function reconcileNode(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const name = asNodeKey(request.key);
  if (name === undefined)
    throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Node`);

  // read: a Node that is gone has only claims on CIDRs left, and an event about a Node at work says nothing of its server
  const node = await world.kube.getNode(name);
  if (!node) return request.dryRun ? MISSING : releaseClaims(name, world);
  if (isHint(request) && isAtWork(node, world.config)) return NOTHING;

  // observe, desire, plan: find the server, derive the Node from it, and compare
  const first = await evaluateNode(node, readOneByOne(world, isByPerson(request) ? 'now' : 'lately'), world);
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };

  // reserve: take from what all Nodes share, CIDRs and the deletion budget, before the Node is written
  const evaluation = await reserve(first, world);

  // apply: one PATCH for each half of the Node, or its deletion
  const { plan, observed } = evaluation;
  tellPlan(plan, world);
  const applied = await apply(plan.steps, observed, { ...world, budget });

  // report: condition and Events for the Node, and for the queue whether members of load balancers change
  return {
    outcome: await report(evaluation, applied, world),
    plan,
    applied: applied.steps,
    ...(changesMembers(evaluation, applied) ? { membersMoved: true } : {}),
  };
}

const NOTHING: Run = { outcome: { status: 'settled' }, applied: [] };
const MISSING: Run = { ...NOTHING, missing: true };

/** Releases the CIDRs of a Node that is gone. Other Nodes may wait for them. */
async function releaseClaims(name: string, { kube, config }: World): Promise<Run> {
  if (!config.nodeCidrs) return MISSING;
  const released = await releaseStaleClaims(name, kube);
  return released > 0 ? { ...NOTHING, membersMoved: true } : MISSING;
}

/** Reports to the Node. A failure there is an outcome, since the steps before it were done. */
async function report(
  evaluation: NodeEvaluation,
  applied: Applied,
  { kube, clock }: World,
): Promise<Outcome> {
  const outcome = outcomeOfNode(evaluation, applied);
  try {
    const summary = summarizeNode({ evaluation, applied, outcome, now: clock.now() });
    await reportToNode(evaluation.node, summary, applied, kube);
    return outcome;
  } catch (error) {
    if (error instanceof ReconcileError) return outcomeOfError(error);
    throw error;
  }
}

/** Whether members of load balancers may change. levelset gets no event about its own writes. */
function changesMembers({ node }: NodeEvaluation, { steps }: Applied): boolean {
  return steps.some((step) => step.address === nodeAt(node.metadata.name) || step.kind === 'nodestatus');
}
