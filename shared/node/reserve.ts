/** Takes what many Nodes share before a Node is written: CIDRs, and the deletion budget of all processes. */
import { oneByOne } from '../apply/one-by-one.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import type { NodeEvaluation } from './evaluate-node.ts';
import { ReconcileError } from '../model/errors.ts';
import { givesCidrs, withCidrs } from './plan/plan-node.ts';
import type { World, Kube } from '../ports.ts';
import { staleClaims } from './desired/node-cidrs.ts';
import type { CidrsEvaluation } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';

/** The evaluation with its CIDRs claimed and its deletion recorded. If others were faster, it has another plan. */
export async function reserve(evaluation: NodeEvaluation, world: World): Promise<NodeEvaluation> {
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
export async function releaseStaleClaims(name: string, kube: Kube): Promise<number> {
  const claims = (await kube.cidrs.list()).filter((claim) => claim.node === name);
  if (claims.length === 0) return 0;
  const stale = staleClaims(name, await kube.getNode(name), claims);
  for (const claim of stale) await kube.cidrs.release(claim);
  return stale.length;
}
