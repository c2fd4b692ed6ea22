/** What levelset measures, wherever it runs: one description for Prometheus (`serve`) and for CloudWatch (Lambda). */
import type { Report } from '../shared/model/outcome.ts';
import type { Refusal, Step } from '../shared/model/plan.ts';
import type { TriggerCounts } from '../shared/model/request.ts';

interface Description {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** The labels that are dimensions of CloudWatch, where each combination of values costs money. By default all are. */
  readonly dimensions?: readonly string[];
  readonly isOfFunctions?: true;
}

// prettier-ignore
export const MEASURED = {
  levelset_reconcile_total: { kind: 'counter', labels: ['object', 'outcome'],
    help: 'Reconciles by kind of object (service, node, routes) and outcome.' },
  levelset_reconcile_duration_seconds: { kind: 'histogram', labels: ['object', 'outcome'], buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60], dimensions: ['object'],
    help: 'Duration of reconciles, by kind of object and outcome.' },
  levelset_failures_total: { kind: 'counter', labels: ['object', 'code'], dimensions: ['code'],
    help: 'Runs that failed, by kind of object and error code.' },
  levelset_deletions_total: { kind: 'counter', labels: ['object', 'result'],
    help: 'Deletions by kind of object (node, loadbalancer) and result: deleted, or refused by the deletion budget. A refusal counts in every run, so the counter grows while it lasts.' },
  levelset_drift_total: { kind: 'counter', labels: ['kind', 'result'],
    help: 'Steps for what differs in OpenStack from what levelset had set up, of Services, by kind of resource and result: repaired, or reported. What is only reported counts in every run, so the counter grows while it lasts.' },
  levelset_sweeps_total: { kind: 'counter', labels: ['result'],
    help: 'Sweeps by result: found (what needs work is queued), failed.' },
  levelset_openstack_requests_total: { kind: 'counter', labels: ['service', 'method', 'status'], dimensions: ['service', 'status'],
    help: 'OpenStack API requests by service, method and status; status "none" means no answer.' },
  levelset_openstack_request_duration_seconds: { kind: 'histogram', labels: ['service', 'method'], buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30], dimensions: ['service'],
    help: 'Duration of OpenStack API requests.' },
  levelset_kube_requests_total: { kind: 'counter', labels: ['method', 'status'], dimensions: ['status'],
    help: 'kube-apiserver requests by method and status; status "none" means no answer.' },
  levelset_load_balancers: { kind: 'gauge', labels: ['state'],
    help: 'Load balancers of this cluster by state, as the last sweep saw them.' },
  levelset_messages_total: { kind: 'counter', labels: ['result'], isOfFunctions: true,
    help: 'Messages of SQS whose work did not end well, by result: failed (three times, so that the next sweep goes on), unreadable (dropped, so that the next sweep goes on).' },
  levelset_audit_events_total: { kind: 'counter', labels: ['result'],
    help: 'Events received, by result: accepted (names an object), ignored (names none), skipped (cannot be read).' },
} as const satisfies Readonly<Record<string, Description>>;

export type MeasuredName = keyof typeof MEASURED;
type OfKind<K> = { [N in MeasuredName]: (typeof MEASURED)[N]['kind'] extends K ? N : never }[MeasuredName];
export type Labels = Readonly<Record<string, string | number>>;

export interface Recorder {
  add(counter: OfKind<'counter'>, labels: Labels, by: number): void;
  observe(histogram: OfKind<'histogram'>, labels: Labels, value: number): void;
  replace(gauge: OfKind<'gauge'>, values: readonly (readonly [Labels, number])[]): void;
}

export interface ObservedCall {
  /** `octavia`, `neutron`, `keystone`, ...; `kubernetes` is the kube-apiserver. */
  readonly service: string;
  readonly method: string;
  /** Absent: there was no answer. */
  readonly status?: number | undefined;
  readonly durationMs: number;
}

/** What happens, as figures for a recorder. A label never carries a namespace or a name, since their number has no bound. */
export function observations(to: Recorder) {
  return {
    observeReconcile({ request, outcome: ended, plan, applied, durationMs }: Report): void {
      const object = request.key.split('/')[0] ?? '';
      const labels = { object, outcome: ended.status };
      to.add('levelset_reconcile_total', labels, 1);
      if (ended.status === 'failed') to.add('levelset_failures_total', { object, code: ended.code }, 1);
      to.observe('levelset_reconcile_duration_seconds', labels, durationMs / 1_000);
      if (request.dryRun) return;
      const result = plan?.driftStays ? 'reported' : 'repaired';
      for (const { kind } of plan?.drift ?? []) to.add('levelset_drift_total', { kind, result }, 1);
      for (const object of ['node', 'loadbalancer'] as const) {
        const isDeleted = ({ verb, kind }: Step): boolean => verb === 'delete' && kind === object;
        const deleted = applied.filter(isDeleted).length;
        to.add('levelset_deletions_total', { object, result: 'deleted' }, deleted);
        // the refusal of a deletion has no changes; any other refusal about these has
        const isRefused = ({ kind, changes }: Refusal): boolean => kind === object && changes.length === 0;
        const refused = plan?.refused.filter(isRefused).length ?? 0;
        to.add('levelset_deletions_total', { object, result: 'refused' }, refused);
      }
    },
    observeCall({ service, method, status: answered, durationMs }: ObservedCall): void {
      const status = answered ?? 'none';
      if (service === 'kubernetes') {
        to.add('levelset_kube_requests_total', { method, status }, 1);
        return;
      }
      to.add('levelset_openstack_requests_total', { service, method, status }, 1);
      to.observe('levelset_openstack_request_duration_seconds', { service, method }, durationMs / 1_000);
    },
    observeSweep(result: 'found' | 'failed'): void {
      to.add('levelset_sweeps_total', { result }, 1);
    },
    /** The number of load balancers by state, such as ACTIVE, ERROR or PENDING_UPDATE. A state that is absent has 0. */
    setLoadBalancers(countByState: Readonly<Record<string, number>>): void {
      const values = Object.entries(countByState).map(([state, count]) => [{ state }, count] as const);
      to.replace('levelset_load_balancers', values);
    },
    observeAudit(counts: TriggerCounts): void {
      for (const result of ['accepted', 'skipped', 'ignored'] as const)
        to.add('levelset_audit_events_total', { result }, counts[result]);
    },
    observeMessages(result: 'failed' | 'unreadable', count: number): void {
      to.add('levelset_messages_total', { result }, count);
    },
  };
}
