import { approvalOf } from '../../model/ownership.ts';
import { nodeAt, SERVER_GONE } from '../../model/node/node.ts';
import type { Plan, Problem, Refusal, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { overBudget, type DeletionBudget } from '../../plan/deletion-budget.ts';
import { planOne, remove } from '../../plan/compare-and-plan.ts';

interface NodePlanInput {
  readonly name: string;
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly problems: readonly Problem[];
  readonly leaves: boolean;
  readonly reasonToKeep?: string;
  readonly approved: readonly string[];
}

/** A Node whose server is gone is deleted, or its deletion is refused. */
export function planNode(input: NodePlanInput): Plan {
  const { name, desired, observed, problems } = input;
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const node = there.get(nodeAt(name));
  if (node && input.leaves) leave(node, input, steps, refused);
  else for (const resource of desired) planOne(resource, there, steps, refused);
  return { object: nodeAt(name), services: [], steps, refused, awaitingApproval: [], problems, foreign: [] };
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
  readonly withServer: readonly string[];
}

/**
 * Why a Node is not deleted although its server is gone. Nova must list the server of some Node: in another project
 * every server looks gone.
 */
export function reasonToKeep({ withServer, ...budget }: NodeDeletionBudget): string | undefined {
  if (withServer.includes(budget.id)) return 'Nova lists its server, although it answered 404 for it';
  if (withServer.length === 0 && budget.percent > 0)
    return 'Nova lists no server of any Node of this cluster; levelset may be asking in the wrong project or region';
  return overBudget(budget, 'Node');
}
