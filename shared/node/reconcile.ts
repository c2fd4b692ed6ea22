/**
 * The page of a Node: read it -> find its server -> desire -> plan -> apply -> report. The apiserver's resourceVersion keeps
 * two runs apart: each write is of the Node as it was read, so no Lease is needed.
 */
import { apply, NO_LEASE } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { claimCidrs, releaseStaleClaims } from './claim-cidrs.ts';
import { reserveDeletion } from './reserve-deletion.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Outcome, Run } from '../model/outcome.ts';
import { evaluateNode } from './evaluate-node.ts';
import type { NodeEvaluation } from './evaluate-node.ts';
import { needsCidrs } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import {
  hasTaint,
  nodeAt,
  readyStatus,
  SERVER_GONE,
  SHUTDOWN_TAINT,
  UNINITIALIZED_TAINT,
} from '../model/node/node.ts';
import { asNodeKey, isHint } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import { deletes, givesCidrs, withCidrs } from './plan/plan-node.ts';
import type { Budget, Kube, World } from '../ports.ts';
import { readOneByOne } from './server-reading.ts';
import { outcomeOfNode, summarizeNode, reportToNode } from './report/report-node.ts';
import { outcomeOfError } from '../report/outcome-of-error.ts';

export async function reconcileNode(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const { kube, config } = world;
  const name = asNodeKey(request.key);
  if (name === undefined)
    throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Node`);
  const node = await kube.getNode(name);
  if (!node) return config.nodeCidrs && !request.dryRun ? afterIt(name, kube) : NOTHING;
  if (isHint(request) && isQuiet(node, config)) return NOTHING;
  const first = await evaluateNode(node, readOneByOne(world), world);
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };
  const evaluation = await withReservedDeletion(await withClaims(first, world), world);
  const { plan, observed } = evaluation;
  const applied = await apply(plan.steps, observed, { ...world, lease: NO_LEASE, budget });
  return {
    outcome: await report(evaluation, applied, world),
    plan,
    applied: applied.steps,
    ...(movesMembers(evaluation, applied) ? { membersMoved: true } : {}),
  };
}

const NOTHING: Run = { outcome: { status: 'settled' }, applied: [] };

/** What was written is written, also where the Node cannot be told. */
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

/** What a Node that is gone leaves may be what others wait for. */
async function afterIt(name: string, kube: Kube): Promise<Run> {
  const released = await releaseStaleClaims(name, kube);
  return released > 0 ? { ...NOTHING, membersMoved: true } : NOTHING;
}

/** Events about a Node that is at work are many, and its server knows nothing of them: the sweep compares the two. */
function isQuiet(node: Node, { nodeCidrs }: World['config']): boolean {
  const { annotations } = node.metadata;
  const isMarked =
    hasTaint(node, UNINITIALIZED_TAINT) || hasTaint(node, SHUTDOWN_TAINT) || annotations?.[SERVER_GONE];
  const waits = nodeCidrs !== undefined && needsCidrs(node);
  return !isMarked && !waits && readyStatus(node) === 'True';
}

/** The CIDRs that the Node has, or is to get, are its own before it is written; where others were faster the plan says which. */
async function withClaims(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
  const { kube } = world;
  const { node, cidrs, plan } = evaluation;
  if (!cidrs) return evaluation;
  if (cidrs.isStale) await releaseStaleClaims(node.metadata.name, kube);
  for (const cidr of cidrs.unclaimed) await kube.cidrs.claim(cidr, node);
  if (!givesCidrs(plan)) return evaluation;
  return { ...evaluation, plan: withCidrs(plan, await claimCidrs(node, cidrs, world)) };
}

/** A Node that is to go has drawn from what all functions may delete; where others were faster the plan says why it stays. */
async function withReservedDeletion(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
  return deletes(evaluation.plan)
    ? { ...evaluation, plan: await reserveDeletion(evaluation, world) }
    : evaluation;
}

/** Nobody is told of our own writes: who may be a member of load balancers, and where, is to be looked at by ourselves. */
function movesMembers({ node }: NodeEvaluation, { steps }: Applied): boolean {
  return steps.some((step) => step.address === nodeAt(node.metadata.name) || step.kind === 'nodestatus');
}
