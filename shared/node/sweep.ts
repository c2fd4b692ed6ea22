/** The Nodes that are not as their servers say, or lack a CIDR, found by a few lists for all of them. */
import { evaluateNode } from './evaluate-node.ts';
import type { NodeEvaluation } from './evaluate-node.ts';
import type { Node } from '../model/kubernetes.ts';
import type { Outcome, Found } from '../model/outcome.ts';
import { isEverything } from '../model/request.ts';
import type { Key, SweepScope } from '../model/request.ts';
import { NOTHING_FOUND } from '../model/outcome.ts';
import type { World } from '../ports.ts';
import { NOTHING_WRITTEN, outcomeOfNode, summarizeNode } from './report/report-node.ts';
import { readInBulk } from './server-reading.ts';
import type { ServerReading } from './server-reading.ts';

/**
 * The keys of Nodes that need work. A failure is only a warning, since load balancers do not wait for Nova; the next
 * sweep tries again.
 */
export async function findNodes(
  listed: Promise<readonly Node[]>,
  world: World,
  scope: SweepScope,
): Promise<Found> {
  if (!isEverything(scope)) return NOTHING_FOUND;
  const nodes = await listed;
  if (nodes.length === 0 && !world.config.nodeCidrs) return NOTHING_FOUND;
  try {
    const reading = readInBulk(nodes, world);
    const keys = await goneWithClaims(nodes, reading);
    let nodesSettled = 0;
    for (const node of nodes) {
      const evaluation = await evaluateNode(node, reading, world);
      const outcome = outcomeOfNode(evaluation, NOTHING_WRITTEN);
      if (needsWork(evaluation, outcome, world)) keys.push(`node/${node.metadata.name}`);
      else if (outcome.status === 'settled') nodesSettled += 1;
    }
    return { keys, warnings: [], figures: { nodes: nodes.length, nodesSettled } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      keys: [],
      warnings: [`the sweep could not compare the Nodes: ${reason}`],
      figures: { nodes: nodes.length },
    };
  }
}

/** The keys of Nodes that seem to be gone and have left claims on CIDRs. */
async function goneWithClaims(nodes: readonly Node[], { cidrs }: ServerReading): Promise<Key[]> {
  const claims = (await cidrs?.claims()) ?? [];
  const there = new Set(nodes.map(({ metadata }) => metadata.name));
  const gone = new Set(claims.map(({ node }) => node).filter((name) => name !== '' && !there.has(name)));
  return [...gone].map((name): Key => `node/${name}`);
}

function needsWork(evaluation: NodeEvaluation, outcome: Outcome, { clock }: World): boolean {
  const { plan, againInMs, cidrs } = evaluation;
  if (cidrs && (cidrs.isStale || cidrs.unclaimed.length > 0)) return true;
  if (plan.steps.length > 0 || plan.refused.length > 0 || againInMs !== undefined) return true;
  return (
    summarizeNode({ evaluation, applied: NOTHING_WRITTEN, outcome, now: clock.now() }).condition !== undefined
  );
}
