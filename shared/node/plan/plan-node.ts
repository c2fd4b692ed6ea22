import { nodeAt, SERVER_GONE } from '../../model/node/node.ts';
import type { Change, Plan, Problem, Refusal, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { planOne, remove } from '../../plan/plan-one.ts';
import { approvalOf } from '../../plan/approval.ts';

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

export function givesCidrs({ steps }: Plan): boolean {
  return steps.some((step) => step.verb === 'update' && step.changes.some(isOfCidrs));
}

/** The same plan with the CIDRs that were claimed. */
export function withCidrs(plan: Plan, podCIDRs: readonly string[]): Plan {
  const given = (change: Change): Change => (isOfCidrs(change) ? { ...change, to: podCIDRs } : change);
  const steps = plan.steps.map((step) =>
    step.verb === 'update' ? { ...step, changes: step.changes.map(given) } : step,
  );
  return { ...plan, steps };
}

const isOfCidrs = ({ attribute }: Change): boolean => attribute === 'podCIDRs';

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
