import type { Applied } from '../apply/apply.ts';
import { desireIngress } from '../desired/addresses.ts';
import type { Look } from '../look.ts';
import { ERRORS } from '../model/errors.ts';
import type { LoadBalancerIngress, Service, ServiceEvent, ServicePatch } from '../model/kubernetes.ts';
import type { Outcome } from '../model/outcome.ts';
import { FINALIZER, LOAD_BALANCER_ADDRESS, LOAD_BALANCER_ID, READY_CONDITION } from '../model/ownership.ts';
import { readyCondition, sameIngress, withCondition } from './condition.ts';
import type { Told } from './condition.ts';
import { summarizeSteps } from '../plan/render.ts';

export interface Summary {
  readonly patch: ServicePatch;
  readonly events: readonly ServiceEvent[];
}

export interface SummaryInput {
  readonly look: Look;
  readonly applied: Applied;
  readonly outcome: Outcome;
  readonly address: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** What a Service that wants a load balancer is told: annotations, status, condition and Events. Pure. */
export function summarize(service: Service, input: SummaryInput): Summary {
  const { look, outcome, address, applied } = input;
  const told = conditionOf(service, input);
  const old = readyCondition(service);
  const changed = old?.status !== told.status || old.reason !== told.reason || old.message !== told.message;
  const id = (applied.known.get('lb') ?? look.observed.loadBalancer)?.id;
  const annotations = {
    ...(id === undefined ? {} : { [LOAD_BALANCER_ID]: id }),
    ...(address === undefined ? {} : { [LOAD_BALANCER_ADDRESS]: address }),
  };
  const ingress = look.wishes && address !== undefined ? desireIngress(look.wishes, address) : undefined;
  return {
    patch: {
      ...(differs(service, annotations) ? { metadata: { annotations } } : {}),
      ...statusPatch(service, ingress, changed ? told : undefined, input.now),
    },
    events: [
      ...(old?.status === 'True' ? updatedEvent(applied) : []),
      ...(changed
        ? [{ type: eventType(outcome, told), reason: told.reason, message: told.message } as const]
        : []),
    ],
  };
}

/** What a Service on its way out is told while its load balancer is still there. Pure. */
export function summarizeLeaving(service: Service, outcome: Outcome, now: string): Summary {
  const message = outcome.status === 'failed' ? outcome.message : 'reason' in outcome ? outcome.reason : '';
  const told: Told = { status: 'False', reason: 'DeletingLoadBalancer', message };
  const old = readyCondition(service);
  if (outcome.status === 'settled' || (old?.reason === told.reason && old.message === message))
    return { patch: {}, events: [] };
  const failed = outcome.status === 'failed' || outcome.status === 'blocked';
  const event = { type: failed ? 'Warning' : 'Normal', reason: told.reason, message } as const;
  return {
    patch: { status: { conditions: withCondition(service, told, now) } },
    events: failed || old?.reason !== told.reason ? [event] : [],
  };
}

/** Nothing is left in OpenStack: the Service is let go, and carries nothing of ours any more. */
export function release(service: Service): Summary {
  const finalizers = (service.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  const ours = [LOAD_BALANCER_ID, LOAD_BALANCER_ADDRESS].filter((key) => service.metadata.annotations?.[key]);
  const conditions = (service.status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  const leaving = service.metadata.deletionTimestamp !== undefined;
  const annotations = Object.fromEntries(ours.map((key) => [key, null]));
  return {
    patch: {
      metadata: { finalizers, ...(leaving || ours.length === 0 ? {} : { annotations }) },
      ...(leaving || !readyCondition(service) ? {} : { status: { conditions } }),
    },
    events: [{ type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' }],
  };
}

function conditionOf(service: Service, { look, outcome, address }: SummaryInput): Told {
  const old = readyCondition(service);
  const notes = notesOf(look);
  switch (outcome.status) {
    case 'settled': {
      const where = address ?? 'no address: see below';
      const message = [
        `load balancer ${look.observed.loadBalancer?.id ?? ''} serves at ${where}`,
        ...notes,
      ].join('; ');
      return { status: address === undefined ? 'False' : 'True', reason: 'EnsuredLoadBalancer', message };
    }
    case 'progressing':
      // while it serves, a change in progress is no news
      if (old?.status === 'True') return { status: 'True', reason: old.reason, message: old.message };
      return { status: 'False', reason: 'EnsuringLoadBalancer', message: outcome.reason };
    case 'blocked':
      return { status: 'False', reason: 'SyncLoadBalancerFailed', message: outcome.reason };
    case 'failed':
      return {
        status: 'False',
        reason: ERRORS[outcome.code].reason,
        message: `${outcome.message} (${ERRORS[outcome.code].advice})`,
      };
  }
}

function notesOf(look: Look): readonly string[] {
  return [
    ...(look.desired.keepMembers ? ['there are no available nodes'] : []),
    ...look.plan.problems.map(({ field, value, message }) => `${field} "${value}" ${message}`),
    ...look.plan.refused.map(({ changes, reason }) => {
      const what = changes.map(({ attribute, from, to }) => `${attribute} ${String(from)} -> ${String(to)}`);
      return `not changed: ${what.join(', ')}: ${reason}`;
    }),
  ];
}

function eventType(outcome: Outcome, told: Told): 'Normal' | 'Warning' {
  const clean = outcome.status === 'settled' ? !told.message.includes(';') : outcome.status === 'progressing';
  return clean ? 'Normal' : 'Warning';
}

/** Said when a load balancer that serves is changed. */
function updatedEvent(applied: Applied): readonly ServiceEvent[] {
  if (applied.steps.length === 0) return [];
  const addresses = applied.steps.map(({ address }) => address).join(', ');
  const message = `Updated load balancer: ${summarizeSteps(applied.steps)}: ${addresses}`;
  return [{ type: 'Normal', reason: 'UpdatedLoadBalancer', message }];
}

function differs(service: Service, annotations: Readonly<Record<string, string>>): boolean {
  return Object.entries(annotations).some(([key, value]) => service.metadata.annotations?.[key] !== value);
}

function statusPatch(
  service: Service,
  ingress: readonly LoadBalancerIngress[] | undefined,
  told: Told | undefined,
  now: string,
): Pick<ServicePatch, 'status'> {
  const publish = ingress !== undefined && !sameIngress(ingress, service.status?.loadBalancer?.ingress ?? []);
  if (!publish && !told) return {};
  return {
    status: {
      ...(publish ? { loadBalancer: { ingress } } : {}),
      ...(told ? { conditions: withCondition(service, told, now) } : {}),
    },
  };
}
