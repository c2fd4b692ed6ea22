import type { Applied } from '../../apply/apply.ts';
import type { NodeComparison } from '../compare-node.ts';
import { ERRORS } from '../../model/errors.ts';
import type { Node, NodeCondition, ObjectEvent } from '../../model/kubernetes.ts';
import { hasTaint, UNINITIALIZED_TAINT } from '../../model/node/node.ts';
import { type Outcome, outcomeOfError } from '../../model/outcome.ts';
import type { Step } from '../../model/plan.ts';
import type { Kube } from '../../ports.ts';
import {
  planNotes,
  clipMessage,
  conditionWith,
  saysOtherwise,
  readyCondition,
  rfc3339,
  publish,
  type ConditionMessage,
} from '../../report/condition.ts';

interface NodeSummary {
  readonly condition?: NodeCondition;
  readonly events: readonly ObjectEvent[];
}

interface NodeSummaryInput {
  readonly comparison: NodeComparison;
  readonly applied: Applied;
  readonly outcome: Outcome;
  readonly now: number;
}

export const NOTHING_WRITTEN: Applied = { steps: [], stopped: false, known: new Map() };

/** The reason of a Node that waits for a person. A run that failed has another reason. */
export const NODE_BLOCKED = 'NodeBlocked';
const FAILED = 'SyncNodeFailed';

export function outcomeOfNode({ plan, againInMs }: NodeComparison, applied: Applied): Outcome {
  if (applied.error) return outcomeOfError(applied.error);
  if (applied.stopped)
    return {
      status: 'progressing',
      reason: 'this run is out of time; the next run continues',
      retryAfterMs: 0,
    };
  if (againInMs !== undefined)
    return {
      status: 'progressing',
      reason: 'its server does not exist; levelset looks for it once more before it deletes the Node',
      retryAfterMs: againInMs,
    };
  const notes = planNotes(plan);
  return notes.length > 0 ? { status: 'blocked', reason: notes.join('\n') } : { status: 'settled' };
}

/** A condition while something is wrong, and an Event when that or the Node changes. Pure. */
export function summarizeNode({ comparison, applied, outcome, now }: NodeSummaryInput): NodeSummary {
  const { node } = comparison;
  const condition = conditionOf(node, outcome, now);
  const ofCondition = condition ? [eventOf(condition)] : [];
  return {
    ...(condition ? { condition } : {}),
    events: [...applied.steps.flatMap((step) => eventsOfStep(step, node)), ...ofCondition],
  };
}

/** The new condition. A Node that is as desired gets one only if it had another one before. */
function conditionOf(node: Node, outcome: Outcome, now: number): NodeCondition | undefined {
  const old = readyCondition(node.status?.conditions);
  const message = messageOf(outcome);
  if (!message || (message.status === 'True' && !old) || !saysOtherwise(message, old)) return undefined;
  const time = rfc3339(now);
  return { ...conditionWith(message, old, time), lastHeartbeatTime: time };
}

function messageOf(outcome: Outcome): ConditionMessage | undefined {
  switch (outcome.status) {
    case 'settled':
      return { status: 'True', reason: 'Synced', message: 'the Node matches its server' };
    case 'blocked':
      return { status: 'False', reason: NODE_BLOCKED, message: clipMessage(outcome.reason) };
    case 'failed': {
      if (ERRORS[outcome.code].disposition === 'retry') return undefined;
      const message = `${outcome.message} (${ERRORS[outcome.code].advice})`;
      return { status: 'False', reason: FAILED, message: clipMessage(message) };
    }
    case 'progressing':
      return undefined;
  }
}

function eventOf({ status, reason, message }: NodeCondition): ObjectEvent {
  return status === 'True'
    ? { type: 'Normal', reason, message }
    : { type: 'Warning', reason: FAILED, message };
}

/** In the words of Kubernetes' own controllers (docs/sources/kubernetes.md, "Events of the controllers"). */
function eventsOfStep(step: Step, node: Node): readonly ObjectEvent[] {
  const { name } = node.metadata;
  if (step.verb === 'delete') {
    const message = `Deleting node ${name} because it does not exist in the cloud provider`;
    return [{ type: 'Normal', reason: 'DeletingNode', message }];
  }
  const begins = hasTaint(node, UNINITIALIZED_TAINT) && step.kind === 'node';
  return begins ? [{ type: 'Normal', reason: 'Synced', message: 'Node synced successfully' }] : [];
}

export async function reportToNode(
  node: Node,
  summary: NodeSummary,
  applied: Applied,
  kube: Kube,
): Promise<void> {
  const { condition, events } = summary;
  const isGone = applied.steps.some(({ verb }) => verb === 'delete');
  const last = (applied.known.get(`node/${node.metadata.name}`)?.['node'] ?? node) as Node;
  const write = async () => condition && !isGone && kube.patchNodeStatus(last, { conditions: [condition] });
  await publish(node, write, events, kube);
}
