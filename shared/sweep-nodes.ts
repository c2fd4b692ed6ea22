/** Which Nodes are not as their servers say: two lists for all of them. */
import { lookAtNode } from './look-at-node.ts';
import type { NodeLook } from './look-at-node.ts';
import type { Node } from './model/kubernetes.ts';
import type { Key } from './model/request.ts';
import type { World } from './ports.ts';
import { NOTHING_WRITTEN, outcomeOfNode, summarizeNode } from './report/node.ts';
import { readInBulk } from './server-reading.ts';

export interface NodesFound {
  readonly keys: readonly Key[];
  readonly warnings: readonly string[];
}

/** Load balancers do not wait for Nova: what fails is a warning, and the next sweep tries again. */
export async function findNodes(nodes: readonly Node[], world: World): Promise<NodesFound> {
  if (nodes.length === 0) return { keys: [], warnings: [] };
  try {
    const reading = await readInBulk(nodes, world);
    const keys: Key[] = [];
    for (const node of nodes) {
      const look = await lookAtNode(node, reading, world);
      if (needsWork(look, world)) keys.push(`node/${node.metadata.name}`);
    }
    return { keys, warnings: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { keys: [], warnings: [`Nodes were not looked at: ${reason}`] };
  }
}

function needsWork(look: NodeLook, { clock }: World): boolean {
  const { plan, againInMs } = look;
  if (plan.steps.length > 0 || plan.refused.length > 0 || againInMs !== undefined) return true;
  const outcome = outcomeOfNode(look, NOTHING_WRITTEN);
  return summarizeNode({ look, applied: NOTHING_WRITTEN, outcome, now: clock.now() }).condition !== undefined;
}
