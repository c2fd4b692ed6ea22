import type { Config } from '../shared/config/config.ts';
import type { Service } from '../shared/model/kubernetes.ts';
import { LOAD_BALANCER_ID } from '../shared/model/ownership.ts';
import type { Outcome, Report } from '../shared/model/outcome.ts';
import type { Plan } from '../shared/model/plan.ts';
import { serviceKey, type Key } from '../shared/model/request.ts';
import { renderPlan } from '../shared/plan/render-plan.ts';
import { readyCondition } from '../shared/report/condition.ts';
import { BLOCKED_REASON } from '../shared/service/report/service-condition.ts';
import type { RowState, StatusRow } from '../shared/report/page.ts';
import { hasFinalizer, wantsLoadBalancer } from '../shared/service/unit.ts';

/** The last run of a key in this process. */
export interface LastReport {
  readonly report: Report;
  /** RFC 3339. */
  readonly at: string;
}

/**
 * One row for each Service that wants, or still holds, a load balancer of ours: as its last run left it, or, when this
 * process has not run it, as its own status says.
 */
export function statusRows(
  services: readonly Service[],
  config: Pick<Config, 'loadBalancerClass'>,
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  const rows = services
    .filter((service) => wantsLoadBalancer(service, config) || hasFinalizer(service))
    .map((service): StatusRow => {
      const { namespace, name } = service.metadata;
      const last = reports.get(serviceKey(namespace, name));
      return { ...rowFromStatus(service), ...(last && rowFromReport(last)) };
    });
  return rows.map((row) => withSharers(row, rows));
}

/** The others on the same load balancer, as far as they are Services of this cluster. */
function withSharers(row: StatusRow, rows: readonly StatusRow[]): StatusRow {
  const { loadBalancerId: id, object } = row;
  const others = rows.filter((other) => other.loadBalancerId === id && other.object !== object);
  if (id === undefined || others.length === 0) return row;
  return { ...row, sharedWith: others.map((other) => other.object.replace(/^service\//, '')).sort() };
}

function rowFromStatus(service: Service): StatusRow {
  const condition = readyCondition(service.status?.conditions);
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  const addresses = ingress.flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  const id = service.metadata.annotations?.[LOAD_BALANCER_ID];
  return {
    object: serviceKey(service.metadata.namespace, service.metadata.name),
    state: STATES[condition?.reason ?? ''] ?? 'unknown',
    reason: condition?.message ?? 'not looked at yet',
    ...(id !== undefined && { loadBalancerId: id }),
    ...(addresses.length > 0 && { address: addresses.join(', ') }),
    planSteps: 0,
  };
}

/** What the last run came to, by the reason that it told; a condition that serves may tell of a failure all the same. */
const STATES: Readonly<Partial<Record<string, RowState>>> = {
  EnsuredLoadBalancer: 'settled',
  UnAvailableLoadBalancer: 'settled',
  EnsuringLoadBalancer: 'progressing',
  DeletingLoadBalancer: 'progressing',
  [BLOCKED_REASON]: 'blocked',
  SyncLoadBalancerFailed: 'failed',
};

/** What a run says of its object. */
export function rowFromReport({
  report,
  at,
}: LastReport): Pick<StatusRow, 'state' | 'reason' | 'planSteps'> & Partial<StatusRow> {
  const { outcome, plan, loadBalancerId, address, request } = report;
  return {
    state: outcome.status,
    reason: reasonOf(outcome) + waitingFor(plan),
    ...(loadBalancerId !== undefined && { loadBalancerId }),
    ...(address !== undefined && { address }),
    trigger: request.trigger,
    at,
    ...(plan && { plan: renderPlan(plan) }),
    planSteps: (plan?.steps.length ?? 0) + waiting(plan),
  };
}

/** Changes that a person may approve. */
function waiting(plan: Plan | undefined): number {
  const refused = plan?.refused.filter(({ approval }) => approval !== undefined) ?? [];
  return (plan?.awaitingApproval.length ?? 0) + refused.length;
}

function waitingFor(plan: Plan | undefined): string {
  const length = waiting(plan);
  return length === 0 ? '' : `; ${length} ${length === 1 ? 'change waits' : 'changes wait'} for approval`;
}

/** In words: what holds it up, or that nothing does. */
export function reasonOf(outcome: Outcome): string {
  switch (outcome.status) {
    case 'settled':
      return 'as desired';
    case 'failed':
      return outcome.message;
    case 'progressing':
    case 'blocked':
      return outcome.reason;
  }
}
