import { approvalOf } from '../../model/ownership.ts';
import { nodeAt, SERVER_GONE } from '../../model/node/node.ts';
import type { Plan, Problem, Refusal, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { overBudget } from '../../plan/deletion-budget.ts';
import type { DeletionBudget } from '../../plan/deletion-budget.ts';
import { planOne, remove } from '../../plan/plan-one.ts';

export interface NodePlanInput {
  readonly name: string;
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly problems: readonly Problem[];
  /** The server is gone for good. */
  readonly leaves: boolean;
  /** The reason why the Node is not deleted nevertheless. */
  readonly reasonToKeep?: string;
  /** The approvals that the Node's annotation names. */
  readonly approved: readonly string[];
}

/**
 * The steps that make a Node what its server says. A Node whose server is gone is deleted, or its deletion is
 * refused.
 */
export function planNode(input: NodePlanInput): Plan {
  const { name, desired, observed, problems } = input;
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const node = there.get(nodeAt(name));
  if (node && input.leaves) leave(node, input, steps, refused);
  else for (const resource of desired) planOne(resource, there, steps, refused);
  return { unit: nodeAt(name), services: [], steps, refused, awaitingApproval: [], problems, foreign: [] };
}

function leave(
  node: ObservedResource,
  { reasonToKeep, approved }: NodePlanInput,
  steps: Step[],
  refused: Refusal[],
): void {
  // the approval contains the time, so it is good for this deletion only
  const { [SERVER_GONE]: since } = node.wire['annotations'] as Readonly<Record<string, string>>;
  const approval = approvalOf([node.id, node.address, 'delete', since]);
  if (reasonToKeep === undefined || approved.includes(approval))
    steps.push(remove(node, 'its server is gone'));
  else
    refused.push({
      address: node.address,
      kind: node.kind,
      changes: [],
      reason: `its server is gone, but levelset does not delete the Node: ${reasonToKeep}`,
      approval,
    });
}

export interface NodeDeletionBudget extends DeletionBudget {
  /** UIDs of the Nodes whose server Nova lists. */
  readonly withServer: readonly string[];
}

/**
 * The reason why a Node is not deleted although its server is gone. Undefined: it may be deleted. With credentials of
 * another project, or a Nova that lost its cells, every server looks gone. So Nova must list the server of at least
 * one Node.
 */
export function reasonToKeep({ withServer, ...budget }: NodeDeletionBudget): string | undefined {
  if (withServer.includes(budget.id)) return 'Nova lists its server, although it answered 404 for it';
  if (withServer.length === 0 && budget.percent > 0)
    return 'Nova lists no server of any Node of this cluster; levelset may be asking in the wrong project or region';
  return overBudget(budget, 'Node');
}
