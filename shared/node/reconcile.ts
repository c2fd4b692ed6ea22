/**
 * THE PAGE of a Node, whatever woke levelset:
 *
 *   read the Node -> observe -> desire -> plan -> reserve -> apply -> report
 *
 * No Lease is needed: each write has the resourceVersion that was read, so the apiserver refuses the later of two runs.
 */
import { apply } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Outcome, Run } from '../model/outcome.ts';
import { evaluateNode } from './evaluate-node.ts';
import type { NodeEvaluation } from './evaluate-node.ts';
import { isAtWork } from './is-at-work.ts';
import { nodeAt } from '../model/node/node.ts';
import { asNodeKey, isByPerson, isHint } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import type { Budget, World, Kube } from '../ports.ts';
import { readOneByOne } from './server-reading.ts';
import { outcomeOfNode, summarizeNode, reportToNode } from './report/report-node.ts';
import { tellPlan } from '../report/plan-notes.ts';
import { outcomeOfError } from '../report/outcome-of-error.ts';
import { oneByOne } from '../apply/one-by-one.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import { givesCidrs, withCidrs } from './plan/plan-node.ts';
import { staleClaims } from './desired/node-cidrs.ts';
import type { CidrsEvaluation } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';

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

/** The evaluation with its CIDRs claimed and its deletion recorded. If others were faster, it has another plan. */
async function reserve(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
  return reservePlannedDeletion(await claimPlannedCidrs(evaluation, world), world);
}

/** Claims the CIDRs that the Node has or is to get. If others were faster, the plan has the CIDRs that were claimed instead. */
async function claimPlannedCidrs(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
  const { kube } = world;
  const { node, cidrs, plan } = evaluation;
  if (!cidrs) return evaluation;
  if (cidrs.isStale) await releaseStaleClaims(node.metadata.name, kube);
  for (const cidr of cidrs.unclaimed) await kube.cidrs.claim(cidr, node);
  if (!givesCidrs(plan)) return evaluation;
  return { ...evaluation, plan: withCidrs(plan, await claimCidrs(node, cidrs, world)) };
}

/**
 * Records a planned deletion in the budget of all processes. If others used it up, the plan refuses the
 * deletion.
 */
async function reservePlannedDeletion(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
  const { plan, leaving } = evaluation;
  if (!leaving || !deletes(plan)) return evaluation;
  return { ...evaluation, plan: await reserveDeletion(plan, leaving, world) };
}

/** The number of tries to claim CIDRs. Other processes that allocate at the same moment take one each. */
const MOST_CLAIMS = 20;

/**
 * Claims the planned CIDRs and returns those that were claimed. If others were faster, the Node gets other CIDRs. If
 * the process dies before the Node is patched, the next run finds the claims in the Node's name.
 */
function claimCidrs(node: Node, evaluation: CidrsEvaluation, world: World): Promise<readonly string[]> {
  const { kube } = world;
  return oneByOne('cidrs', world, async () => {
    let wanted = evaluation;
    for (let tries = 0; tries < MOST_CLAIMS && wanted.podCIDRs; tries += 1) {
      if (await claimAll(node, wanted.podCIDRs, wanted.own, kube)) return wanted.podCIDRs;
      wanted = await wanted.again();
    }
    const { name } = node.metadata;
    throw new ReconcileError(
      'CHANGED_MEANWHILE',
      `other processes took the CIDRs that were free for Node ${name}`,
    );
  });
}

/** Claims all of these CIDRs that are not the Node's own. False if one of them is claimed already. */
async function claimAll(
  node: Node,
  cidrs: readonly string[],
  own: readonly string[],
  kube: Kube,
): Promise<boolean> {
  for (const cidr of cidrs) if (!own.includes(cidr) && !(await kube.cidrs.claim(cidr, node))) return false;
  return true;
}

/**
 * Releases claims in the name of a Node that are of no use, and returns their number. The Node is read after the
 * claims, so that no claim belongs to a Node that registered meanwhile.
 */
async function releaseStaleClaims(name: string, kube: Kube): Promise<number> {
  const claims = (await kube.cidrs.list()).filter((claim) => claim.node === name);
  if (claims.length === 0) return 0;
  const stale = staleClaims(name, await kube.getNode(name), claims);
  for (const claim of stale) await kube.cidrs.release(claim);
  return stale.length;
}
