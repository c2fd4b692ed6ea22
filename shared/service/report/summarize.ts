import type { Applied } from '../../apply/apply.ts';
import type { Evaluation } from '../evaluate.ts';
import type { Service, ObjectEvent, ServicePatch } from '../../model/kubernetes.ts';
import { vipsOf } from '../../model/network/network-facts.ts';
import type { Outcome } from '../../model/outcome.ts';
import {
  FINALIZER,
  LOAD_BALANCER_ADDRESS,
  LOAD_BALANCER_ID,
  LOAD_BALANCER_NAME,
  READY_CONDITION,
} from '../../model/ownership.ts';
import { isBlocked } from '../../model/plan.ts';
import type { Released } from '../../model/service-object.ts';
import { summarizeSteps } from '../../plan/render-plan.ts';
import { driftEvent } from '../../report/plan-notes.ts';
import {
  saysOtherwise,
  readyCondition,
  BLOCKED_REASON,
  publish,
  type ConditionMessage,
} from '../../report/condition.ts';
import { ingressOf, sameIngress } from './published-address.ts';
import { conditionOf, withCondition } from './service-condition.ts';
import type { Kube } from '../../ports.ts';

/** The patch of the Service and the Events of one run. Both are empty when nothing has changed. */
interface Summary {
  readonly patch: ServicePatch;
  readonly events: readonly ObjectEvent[];
}

interface SummaryInput {
  readonly evaluation: Evaluation;
  readonly applied: Applied;
  readonly outcome: Outcome;
  readonly addresses: readonly string[];
  /** RFC 3339. */
  readonly now: string;
}

/** The annotations, addresses, condition and Events of a Service that wants a load balancer. Pure. */
export function summarize(service: Service, input: SummaryInput): Summary {
  const { evaluation, addresses, applied } = input;
  const { changed, conditions, event } = changesOf(service, input);
  const wasReady = readyCondition(service.status?.conditions)?.status === 'True';
  const id = (applied.known.get('lb') ?? evaluation.observed.loadBalancer)?.id;
  const annotations = ownAnnotations(evaluation, id, addresses[0]);
  const missing = Object.entries(annotations).some(
    ([key, value]) => (service.metadata.annotations?.[key] ?? null) !== value,
  );
  const ingress = evaluation.intent && addresses.length > 0 ? ingressOf(evaluation, addresses) : undefined;
  const publish = ingress !== undefined && !sameIngress(ingress, service.status?.loadBalancer?.ingress ?? []);
  const status = { ...(publish ? { loadBalancer: { ingress } } : {}), ...conditions };
  return {
    patch: { ...(missing ? { metadata: { annotations } } : {}), ...(publish || changed ? { status } : {}) },
    events: [
      ...driftEvent(evaluation.plan),
      ...(wasReady || isBlocked(evaluation.plan) ? updatedEvent(applied) : []),
      ...event,
    ],
  };
}

function changesOf(
  service: Service,
  { outcome, evaluation, addresses, now }: Partial<SummaryInput> & Pick<SummaryInput, 'outcome' | 'now'>,
) {
  const { message, type } = conditionOf(service, outcome, evaluation, addresses);
  const changed = saysOtherwise(message, readyCondition(service.status?.conditions));
  return {
    changed,
    conditions: changed ? { conditions: withCondition(service, message, now) } : {},
    event: changed ? [eventOf(message, type)] : [],
  };
}

/** The end of a run before its evaluation, or of a Service that wants none any more. Empty if settled, or if the condition says the same. Pure. */
export function summarizeOutcome(
  service: Service,
  outcome: Outcome,
  now: string,
  evaluation?: Evaluation,
): Summary {
  if (outcome.status === 'settled') return { patch: {}, events: [] };
  const { conditions, event } = changesOf(service, { outcome, now, ...(evaluation ? { evaluation } : {}) });
  const status: ServicePatch['status'] = {
    ...(evaluation && losesAddress(evaluation) ? { loadBalancer: { ingress: null } } : {}),
    ...conditions,
  };
  return { patch: Object.keys(status).length > 0 ? { status } : {}, events: event };
}

/** Whether published addresses go: those of a Service that was released, once the deletion of levelset's load balancer is approved. */
function losesAddress({
  object: { service, released },
  observed: { loadBalancer, resources },
}: Evaluation): boolean {
  const published = service?.status?.loadBalancer?.ingress ?? [];
  if (!released?.isApproved || released.takenOver || !loadBalancer || published.length === 0) return false;
  const ours = [
    ...vipsOf(loadBalancer),
    ...resources.flatMap(({ kind, wire }) =>
      kind === 'floatingip' ? String(wire['floating_ip_address']) : [],
    ),
    ...[service?.metadata.annotations?.[LOAD_BALANCER_ADDRESS] ?? []].flat(),
  ];
  return published.every(({ ip, hostname }) =>
    ours.some((address) => (ip ? ip === address : hostname?.startsWith(address))),
  );
}

/**
 * Removes the finalizer, and unless the Service is being deleted also levelset's condition and annotations. After a takeover the annotations stay, and
 * the finalizer if the other controller has the same. The load balancer's id stays if it is the user's intent, which is so without the annotations
 * for the address and the sharing name. Pure.
 */
export function release(service: Service, released?: Released): Summary {
  const keeps = released?.keepsFinalizer === true;
  const finalizers = (service.metadata.finalizers ?? []).filter((name) => keeps || name !== FINALIZER);
  const has = (key: string): boolean => service.metadata.annotations?.[key] !== undefined;
  const isIntent = !has(LOAD_BALANCER_ADDRESS) && !has(LOAD_BALANCER_NAME);
  const ours = [...(isIntent ? [] : [LOAD_BALANCER_ID]), LOAD_BALANCER_ADDRESS].filter(has);
  const conditions = (service.status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  const leaving = service.metadata.deletionTimestamp !== undefined;
  const annotations = Object.fromEntries(ours.map((key) => [key, null]));
  const keepsAnnotations = leaving || released?.takenOver === true || ours.length === 0;
  const keepsCondition = (leaving && !keeps) || !readyCondition(service.status?.conditions);
  return {
    patch: {
      metadata: { finalizers, ...(keepsAnnotations ? {} : { annotations }) },
      ...(keepsCondition ? {} : { status: { conditions } }),
    },
    events: [{ type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' }],
  };
}

/** The Event for a condition. The Event of a blocked Service has OCCM's reason, since people watch for that one. */
function eventOf({ reason, message }: ConditionMessage, type: ObjectEvent['type']): ObjectEvent {
  return { type, reason: reason === BLOCKED_REASON ? 'SyncLoadBalancerFailed' : reason, message };
}

export function heldBackEvent(reason: string): ObjectEvent {
  return eventOf({ status: 'False', reason: BLOCKED_REASON, message: reason }, 'Warning');
}

/** OCCM writes these, too. Id and first address together are a note of levelset; the id alone, perhaps the user's, names what the Service joins. */
function ownAnnotations(
  { observed }: Evaluation,
  id: string | undefined,
  address: string | undefined,
): Readonly<Record<string, string | null>> {
  if (id === undefined || observed.notJoined) return {};
  if (observed.sharing && observed.sharing.maker !== 'this')
    return { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: null };
  return address === undefined ? {} : { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: address };
}

function updatedEvent(applied: Applied): readonly ObjectEvent[] {
  if (applied.steps.length === 0) return [];
  const addresses = applied.steps.map(({ address }) => address).join(', ');
  const message = `Updated load balancer: ${summarizeSteps(applied.steps)}: ${addresses}`;
  return [{ type: 'Normal', reason: 'UpdatedLoadBalancer', message }];
}

export async function publishSummary(
  service: Service,
  { patch, events }: Summary,
  kube: Kube,
): Promise<void> {
  const isEmpty = !patch.metadata && !patch.status;
  await publish(service, async () => isEmpty || kube.patchService(service, patch), events, kube);
}
