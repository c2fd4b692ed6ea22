import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CertificateInUse } from '../shared/model/tls/certificate-facts.ts';
import type { Report } from '../shared/model/outcome.ts';
import { asServiceKey } from '../shared/model/request.ts';
import type { Refusal, Step } from '../shared/model/plan.ts';
import type { Key } from '../shared/model/request.ts';
import type { WatchView, WebhookView } from '../shared/report/page.ts';
import type { TriggerCounts } from '../shared/trigger/causes.ts';

/** One request to OpenStack or to the kube-apiserver. */
export interface ObservedCall {
  /** `octavia`, `neutron`, `keystone`, ...; `kubernetes` is the kube-apiserver. */
  readonly service: string;
  readonly method: string;
  /** Absent: there was no answer. */
  readonly status?: number | undefined;
  readonly durationMs: number;
}

export interface Metrics {
  observeReconcile(report: Report): void;
  observeCall(call: ObservedCall): void;
  setQueue(queue: { readonly depth: number; readonly oldestMs: number }): void;
  /**
   * The number of load balancers by state, such as ACTIVE, ERROR or PENDING_UPDATE. A state that is absent
   * has 0.
   */
  setLoadBalancers(countByState: Readonly<Record<string, number>>): void;
  /** Every certificate that the listeners of a Service use; replaces those that were set before. */
  setCertificates(service: Key, certificates: readonly CertificateInUse[]): void;
  observeAudit(counts: TriggerCounts): void;
  setWebhook(webhook: WebhookView): void;
  setWatches(watches: readonly WatchView[]): void;
  scrape(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/**
 * Prometheus metrics of one process. A label never carries a namespace or a name, since their number has no
 * bound. Certificates are the exception: they are few, and somebody has to renew each.
 */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });

  const reconciles = new Counter({
    name: 'levelset_reconcile_total',
    help: 'Reconciles by kind of object (service, node, routes) and outcome.',
    labelNames: ['object', 'outcome'],
    registers,
  });
  const reconcileSeconds = new Histogram({
    name: 'levelset_reconcile_duration_seconds',
    help: 'Duration of reconciles, by kind of object and outcome.',
    labelNames: ['object', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const deletions = new Counter({
    name: 'levelset_deletions_total',
    help: 'Deletions by kind of object (node, loadbalancer) and result: deleted, or refused by the deletion budget. A refusal counts in every run, so the counter grows while it lasts.',
    labelNames: ['object', 'result'],
    registers,
  });
  const queueDepth = new Gauge({
    name: 'levelset_queue_depth',
    help: 'Keys that wait in the queue.',
    registers,
  });
  const queueOldest = new Gauge({
    name: 'levelset_queue_oldest_seconds',
    help: 'Time that the oldest key has waited since it was due.',
    registers,
  });
  const openstackCalls = new Counter({
    name: 'levelset_openstack_requests_total',
    help: 'OpenStack API requests by service, method and status; status "none" means no answer.',
    labelNames: ['service', 'method', 'status'],
    registers,
  });
  const openstackSeconds = new Histogram({
    name: 'levelset_openstack_request_duration_seconds',
    help: 'Duration of OpenStack API requests.',
    labelNames: ['service', 'method'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const kubeCalls = new Counter({
    name: 'levelset_kube_requests_total',
    help: 'kube-apiserver requests by method and status; status "none" means no answer.',
    labelNames: ['method', 'status'],
    registers,
  });
  const loadBalancers = new Gauge({
    name: 'levelset_load_balancers',
    help: 'Load balancers of this cluster by state, as the last sweep saw them.',
    labelNames: ['state'],
    registers,
  });
  const certificateEnds = new Gauge({
    name: 'levelset_certificate_not_after_seconds',
    help: 'End of the validity of a certificate that a listener uses, in seconds since 1970, by Service and by name of its Secret or id in Barbican.',
    labelNames: ['namespace', 'service', 'name'],
    registers,
  });
  const certificatesOf = new Map<Key, readonly CertificateInUse[]>();
  const auditEvents = new Counter({
    name: 'levelset_audit_events_total',
    help: 'Events received, by result: accepted (names an object), ignored (names none), skipped (cannot be read).',
    labelNames: ['result'],
    registers,
  });

  const lastBatch = new Gauge({
    name: 'levelset_audit_last_batch_timestamp_seconds',
    help: 'When the last batch of events was accepted, in seconds since 1970; 0 if none was.',
    registers,
  });
  const refusals = new Counter({
    name: 'levelset_audit_refusals_total',
    help: 'Requests to /audit and /events that were refused, by reason: token, path, body, queue.',
    labelNames: ['reason'],
    registers,
  });

  const setWatches = watchGauge(registers);

  return {
    observeReconcile({ request, outcome: { status: outcome }, plan, applied, durationMs }) {
      const labels = { object: request.key.split('/')[0] ?? '', outcome };
      reconciles.inc(labels);
      reconcileSeconds.observe(labels, durationMs / 1000);
      if (request.dryRun) return;
      for (const object of ['node', 'loadbalancer'] as const) {
        const isDeleted = ({ verb, kind }: Step): boolean => verb === 'delete' && kind === object;
        deletions.inc({ object, result: 'deleted' }, applied.filter(isDeleted).length);
        // the refusal of a deletion has no changes; any other refusal about these has
        const isRefused = ({ kind, changes }: Refusal): boolean => kind === object && changes.length === 0;
        deletions.inc({ object, result: 'refused' }, plan?.refused.filter(isRefused).length ?? 0);
      }
    },
    setCertificates(key, certificates) {
      const { namespace = '', name: service = '' } = asServiceKey(key) ?? {};
      for (const { name } of certificatesOf.get(key) ?? [])
        certificateEnds.remove({ namespace, service, name });
      for (const { name, notAfter } of certificates)
        certificateEnds.set({ namespace, service, name }, Date.parse(notAfter) / 1000);
      if (certificates.length > 0) certificatesOf.set(key, certificates);
      else certificatesOf.delete(key);
    },
    observeCall({ service, method, status = 'none', durationMs }) {
      if (service === 'kubernetes') {
        kubeCalls.inc({ method, status });
        return;
      }
      openstackCalls.inc({ service, method, status });
      openstackSeconds.observe({ service, method }, durationMs / 1000);
    },
    setQueue({ depth, oldestMs }) {
      queueDepth.set(depth);
      queueOldest.set(oldestMs / 1000);
    },
    setLoadBalancers(countByState) {
      loadBalancers.reset();
      for (const [state, count] of Object.entries(countByState)) loadBalancers.set({ state }, count);
    },
    observeAudit(counts) {
      for (const result of ['accepted', 'skipped', 'ignored'] as const) {
        auditEvents.inc({ result }, counts[result]);
      }
    },
    setWatches,
    setWebhook({ lastAccepted, refused }) {
      if (lastAccepted !== undefined) lastBatch.set(Date.parse(lastAccepted) / 1000);
      refusals.reset();
      for (const [reason, count] of Object.entries(refused)) refusals.inc({ reason }, count);
    },
    async scrape() {
      return { contentType: register.contentType, body: await register.metrics() };
    },
  };
}

/** What sets the metric of the watches, for serve and relay. */
export function watchGauge(registers: Registry[]): (watches: readonly WatchView[]) => void {
  const up = new Gauge({
    name: 'levelset_watch_up',
    help: 'Whether the changes of a collection come by a watch.',
    labelNames: ['collection'],
    registers,
  });
  return (watches) => {
    for (const { name, trouble } of watches) up.set({ collection: name }, trouble === undefined ? 1 : 0);
  };
}
