import type { Applied } from '../../apply/apply.ts';
import type { Evaluation } from '../evaluate.ts';
import type { Service, ObjectEvent, ServicePatch } from '../../model/kubernetes.ts';
import type { Outcome } from '../../model/outcome.ts';
import {
  FINALIZER,
  LOAD_BALANCER_ADDRESS,
  LOAD_BALANCER_ID,
  LOAD_BALANCER_NAME,
  READY_CONDITION,
} from '../../model/ownership.ts';
import { summarizeSteps } from '../../plan/render-plan.ts';
import { isNews, readyCondition } from '../../report/condition.ts';
import type { ConditionMessage } from '../../report/condition.ts';
import { ingressOf, sameIngress } from './published-address.ts';
import { BLOCKED_REASON, conditionOf, withCondition } from './service-condition.ts';
import type { Kube } from '../../ports.ts';

/** What is written to the Service and said in Events; empty when there is no news. */
export interface Summary {
  readonly patch: ServicePatch;
  readonly events: readonly ObjectEvent[];
}

export interface SummaryInput {
  readonly evaluation: Evaluation;
  readonly applied: Applied;
  readonly outcome: Outcome;
  readonly addresses: readonly string[];
  /** RFC 3339. */
  readonly now: string;
}

/** What a Service that wants a load balancer is told: annotations, address, condition and Events. Pure. */
export function summarize(service: Service, input: SummaryInput): Summary {
  const { evaluation, outcome, addresses, applied, now } = input;
  const { message, type } = conditionOf(service, outcome, evaluation, addresses);
  const old = readyCondition(service.status?.conditions);
  const news = isNews(message, old);
  const id = (applied.known.get('lb') ?? evaluation.observed.loadBalancer)?.id;
  const annotations = ownAnnotations(evaluation, id, addresses[0]);
  const missing = Object.entries(annotations).some(
    ([key, value]) => (service.metadata.annotations?.[key] ?? null) !== value,
  );
  const ingress = evaluation.intent && addresses.length > 0 ? ingressOf(evaluation, addresses) : undefined;
  const publish = ingress !== undefined && !sameIngress(ingress, service.status?.loadBalancer?.ingress ?? []);
  const status: ServicePatch['status'] = {
    ...(publish ? { loadBalancer: { ingress } } : {}),
    ...(news ? { conditions: withCondition(service, message, now) } : {}),
  };
  return {
    patch: { ...(missing ? { metadata: { annotations } } : {}), ...(publish || news ? { status } : {}) },
    events: [
      ...(old?.status === 'True' ? updatedEvent(applied) : []),
      ...(news ? [eventOf(message, type)] : []),
    ],
  };
}

/** What is known without a look, or of a Service on its way out: only the condition and its Event. Pure. */
export function summarizeOutcome(
  service: Service,
  outcome: Outcome,
  now: string,
  evaluation?: Evaluation,
): Summary {
  const { message, type } = conditionOf(service, outcome, evaluation);
  const old = readyCondition(service.status?.conditions);
  if (outcome.status === 'settled' || !isNews(message, old)) return { patch: {}, events: [] };
  return {
    patch: { status: { conditions: withCondition(service, message, now) } },
    events: [eventOf(message, type)],
  };
}

/** Nothing is left in OpenStack: the Service is let go, and carries nothing of ours any more. Pure. */
export function release(service: Service): Summary {
  const finalizers = (service.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  const has = (key: string): boolean => service.metadata.annotations?.[key] !== undefined;
  const isIntent = !has(LOAD_BALANCER_ADDRESS) && !has(LOAD_BALANCER_NAME);
  const ours = [...(isIntent ? [] : [LOAD_BALANCER_ID]), LOAD_BALANCER_ADDRESS].filter(has);
  const conditions = (service.status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  const leaving = service.metadata.deletionTimestamp !== undefined;
  const annotations = Object.fromEntries(ours.map((key) => [key, null]));
  return {
    patch: {
      metadata: { finalizers, ...(leaving || ours.length === 0 ? {} : { annotations }) },
      ...(leaving || !readyCondition(service.status?.conditions) ? {} : { status: { conditions } }),
    },
    events: [{ type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' }],
  };
}

/** A load balancer that is blocked is told by the Go provider's reason: that is what people watch Events for. */
function eventOf({ reason, message }: ConditionMessage, type: ObjectEvent['type']): ObjectEvent {
  return { type, reason: reason === BLOCKED_REASON ? 'SyncLoadBalancerFailed' : reason, message };
}

/**
 * As the Go provider writes them, for it and for people: of several addresses the first. Both together are a note of ours;
 * an id alone is whom the Service joins, and what its user wrote stays.
 */
function ownAnnotations(
  { observed }: Evaluation,
  id: string | undefined,
  address: string | undefined,
): Readonly<Record<string, string | null>> {
  if (id === undefined || observed.notJoined) return {};
  if (observed.sharing?.role === 'joiner') return { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: null };
  return address === undefined ? {} : { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: address };
}

/** Said when a load balancer that serves is changed. */
function updatedEvent(applied: Applied): readonly ObjectEvent[] {
  if (applied.steps.length === 0) return [];
  const addresses = applied.steps.map(({ address }) => address).join(', ');
  const message = `Updated load balancer: ${summarizeSteps(applied.steps)}: ${addresses}`;
  return [{ type: 'Normal', reason: 'UpdatedLoadBalancer', message }];
}

/** Writes what summarize said, and nothing when nothing changed. */
export async function publish(service: Service, summary: Summary, kube: Kube): Promise<Service> {
  const { patch, events } = summary;
  const written = patch.metadata || patch.status ? await kube.patchService(service, patch) : service;
  for (const event of events) await kube.recordEvent(service, event);
  return written;
}
