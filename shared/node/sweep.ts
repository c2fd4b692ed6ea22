import { compareNode, isAtWork, type NodeComparison } from './compare-node.ts';
import { errorText } from '../model/errors.ts';
import type { Node } from '../model/kubernetes.ts';
import { NOTHING_FOUND, type Outcome, type Found } from '../model/outcome.ts';
import { isEverything, type Key, type SweepScope } from '../model/request.ts';
import type { World } from '../ports.ts';
import { NOTHING_WRITTEN, outcomeOfNode, summarizeNode } from './report/report-node.ts';
import { readInBulk, type ServerReading } from './observe-server.ts';

/**
 * The keys of Nodes that are not as their servers say. One that cannot be compared is queued if something of it
 * waits, and named in a warning otherwise.
 */
export async function findNodes(
  listed: () => Promise<readonly Node[]>,
  world: World,
  scope: SweepScope,
): Promise<Found> {
  if (!isEverything(scope)) return NOTHING_FOUND;
  const nodes = await listed();
  if (nodes.length === 0) return NOTHING_FOUND;
  const reading = readInBulk(nodes, world);
  const keys: Key[] = [];
  const notCompared: NotCompared[] = [];
  let nodesSettled = 0;
  for (const node of nodes) {
    const verdict = await verdictOn(node, reading, world);
    if (typeof verdict === 'object') notCompared.push(verdict);
    if (verdict === 'settled') nodesSettled += 1;
    if (verdict === 'unsettled' || (typeof verdict === 'object' && !isAtWork(node)))
      keys.push(`node/${node.metadata.name}`);
  }
  const warnings = inWords(notCompared);
  const nodesCompared = nodes.length - notCompared.length;
  const figures = { nodes: nodes.length, nodesSettled, nodesCompared };
  return { keys, warnings, incomplete: warnings.length > 0, figures };
}

interface NotCompared {
  readonly name: string;
  readonly reason: string;
}

async function verdictOn(
  node: Node,
  reading: ServerReading,
  world: World,
): Promise<'settled' | 'unsettled' | 'problem' | NotCompared> {
  try {
    const comparison = await compareNode(node, reading, world);
    const outcome = outcomeOfNode(comparison, NOTHING_WRITTEN);
    if (needsWork(comparison, outcome, world)) return 'unsettled';
    return outcome.status === 'settled' ? 'settled' : 'problem';
  } catch (error) {
    return { name: node.metadata.name, reason: errorText(error) };
  }
}

/** One warning for each reason, with the names of all Nodes that it holds up. */
function inWords(notCompared: readonly NotCompared[]): readonly string[] {
  return [...Map.groupBy(notCompared, ({ reason }) => reason)].map(([reason, held]) => {
    const names = held.map(({ name }) => name).join(', ');
    return `the sweep could not compare the Nodes ${names}: ${reason}`;
  });
}

function needsWork(comparison: NodeComparison, outcome: Outcome, { clock }: World): boolean {
  const { plan, againInMs } = comparison;
  if (plan.steps.length > 0 || plan.refused.length > 0 || againInMs !== undefined) return true;
  return (
    summarizeNode({ comparison, applied: NOTHING_WRITTEN, outcome, now: clock.now() }).condition !== undefined
  );
}
