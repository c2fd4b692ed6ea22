import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CertificateInUse } from '../shared/model/tls/certificate-facts.ts';
import { asServiceKey, type Key } from '../shared/model/request.ts';
import type { EndpointLoad } from '../shared/openstack/endpoint-semaphore.ts';
import type { QueueView, WatchView, WebhookView } from '../shared/report/page.ts';
import { observations, MEASURED, type Labels, type MeasuredName, type Recorder } from './measured.ts';
import { BoundedMap } from '../shared/memory/bounded-map.ts';
import type { Outcome, Report } from '../shared/model/outcome.ts';
import { isBlocked } from '../shared/model/plan.ts';

export type ClusterMetrics = ReturnType<ReturnType<typeof metricsIn>>;
export type Metrics = ReturnType<typeof createMetrics>;
export type MetricsByCluster = ReturnType<typeof createMetricsByCluster>;

/** A label never carries a namespace or a name, since their number has no bound. Certificates may: they are few, and somebody renews each. */
export function createMetrics(register = new Registry()) {
  collectDefaultMetrics({ register });
  return { ...metricsIn(register, [])({}), ...scraped(register) };
}

/** The same with the label `cluster`, but for histograms: a thousand clusters would be too many series of them. */
export function createMetricsByCluster(register = new Registry()) {
  collectDefaultMetrics({ register });
  const of = metricsIn(register, ['cluster']);
  const { served } = gaugesIn(OF_REGISTRY, register);
  return {
    of: (cluster: string) => of({ cluster }),
    setServed: (isServed: ReadonlyMap<string, boolean>): void => {
      served.reset();
      for (const [cluster, is] of isServed) served.set({ cluster }, is ? 1 : 0);
    },
    async forget(cluster: string): Promise<void> {
      for (const { name } of register.getMetricsAsArray()) {
        const metric = register.getSingleMetric(name);
        const { values = [] } = (await metric?.get()) ?? {};
        for (const { labels } of values) if (labels['cluster'] === cluster) metric?.remove(labels);
      }
    },
    ...scraped(register),
  };
}

/** By the name that the code has for it: the metric, what it says, and its labels beside those of a cluster. */
type GaugeRows = Readonly<
  Record<string, readonly [name: string, help: string, ...labels: readonly string[]]>
>;

// prettier-ignore
const OF_PROCESS = {
  inFlight: ['levelset_openstack_requests_in_flight', 'Requests to a service of OpenStack on their way.', 'service'],
  waiting: ['levelset_openstack_requests_waiting', 'Requests to a service of OpenStack that wait for their turn.', 'service'],
  rest: ['levelset_openstack_rest_seconds', 'For how long nothing is sent to a service of OpenStack, since it answered with Retry-After.', 'service'],
  leader: ['levelset_leader', 'Whether this process leads: of a deployment one process works and writes.'],
} as const satisfies GaugeRows;

// prettier-ignore
const OF_CLUSTER = {
  queueDepth: ['levelset_queue_depth', 'Keys that wait in the queue.'],
  queueOldest: ['levelset_queue_oldest_seconds', 'Time that the oldest key has waited since it was due.'],
  certificateEnds: ['levelset_certificate_not_after_seconds', 'End of the validity of a certificate that a listener uses, in seconds since 1970, by Service and by name of its Secret or id in Barbican.', 'namespace', 'service', 'name'],
  lastBatch: ['levelset_audit_last_batch_timestamp_seconds', 'When the last batch of events was accepted, in seconds since 1970; 0 if none was.'],
  unsettled: ['levelset_unsettled_objects', 'Services, Nodes and routes that are not as desired, by how their last run ended: progressing, failed, blocked (the object must change first).', 'state'],
  unsettledOldest: ['levelset_unsettled_oldest_seconds', 'For how long the oldest object of such a state has not been as desired; 0 if there is none.', 'state'],
  lastSweep: ['levelset_sweep_last_timestamp_seconds', 'When the last sweep ended that did not fail, in seconds since 1970; before the first one, when sweeps began.'],
  sweepInterval: ['levelset_sweep_interval_seconds', 'Time between two sweeps.'],
  watchUp: ['levelset_watch_up', 'Whether the changes of a collection come by a watch.', 'collection'],
} as const satisfies GaugeRows;

// prettier-ignore
const OF_REGISTRY = {
  served: ['levelset_cluster_served', 'Whether a cluster that the registry names is served; 0 while its entry cannot be used, or its kube-apiserver has not answered yet.', 'cluster'],
} as const satisfies GaugeRows;

function gaugesIn<R extends GaugeRows>(
  rows: R,
  register: Registry,
  own: readonly string[] = [],
): Readonly<Record<keyof R, Gauge>> {
  const made = Object.entries(rows).map(([key, [name, help, ...labels]]) => [
    key,
    new Gauge({ name, help, labelNames: [...own, ...labels], registers: [register] }),
  ]);
  return Object.fromEntries(made) as Record<keyof R, Gauge>;
}

function scraped(register: Registry) {
  const { inFlight, waiting, rest, leader } = gaugesIn(OF_PROCESS, register);
  return {
    setLeader: (leads: boolean): void => {
      leader.set(leads ? 1 : 0);
    },
    setEndpoints(loads: ReadonlyMap<string, EndpointLoad>): void {
      for (const [service, load] of loads) {
        inFlight.set({ service }, load.inFlight);
        waiting.set({ service }, load.waiting);
        rest.set({ service }, load.restMs / 1_000);
      }
    },
    scrape: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  };
}

function metricsIn(register: Registry, labelNames: readonly string[]) {
  const registers = [register];
  const gauges = gaugesIn(OF_CLUSTER, register, labelNames);
  const refusals = new Counter({
    name: 'levelset_audit_refusals_total',
    help: 'Requests to /audit and /events that were refused, by reason: token, path, body, aborted (the sender hung up or was too slow), queue.',
    labelNames: [...labelNames, 'reason'],
    registers,
  });
  const addresses = new Histogram({
    name: 'levelset_service_address_seconds',
    help: 'Time from the first run of a Service that has no address until its address is published, without the time in which its owner had to act.',
    buckets: [5, 10, 20, 30, 60, 120, 180, 300, 600, 1_800],
    registers,
  });
  const recorder = recorderTo(registers, labelNames);

  return (own: Readonly<Record<string, string>>) => {
    const certificatesOf = new Map<Key, readonly CertificateInUse[]>();
    const counted: Record<string, number> = {};
    const observed = observations(recorder(own));
    return {
      ...observed,
      observeSweep(result: 'found' | 'failed'): void {
        observed.observeSweep(result);
        if (result === 'found') gauges.lastSweep.set(own, Date.now() / 1_000);
      },
      beginSweeps(everyMs: number): void {
        gauges.lastSweep.set(own, Date.now() / 1_000);
        gauges.sweepInterval.set(own, everyMs / 1_000);
      },
      setUnsettled({ count, oldestMs }: UnsettledView): void {
        for (const state of UNSETTLED) {
          gauges.unsettled.set({ ...own, state }, count[state]);
          gauges.unsettledOldest.set({ ...own, state }, oldestMs[state] / 1_000);
        }
      },
      observeAddress(waitedMs: number): void {
        addresses.observe(waitedMs / 1_000);
      },
      setCertificates(key: Key, certificates: readonly CertificateInUse[]): void {
        const { namespace = '', name: service = '' } = asServiceKey(key) ?? {};
        for (const { name } of certificatesOf.get(key) ?? [])
          gauges.certificateEnds.remove({ ...own, namespace, service, name });
        for (const { name, notAfter } of certificates)
          gauges.certificateEnds.set({ ...own, namespace, service, name }, Date.parse(notAfter) / 1000);
        if (certificates.length > 0) certificatesOf.set(key, certificates);
        else certificatesOf.delete(key);
      },
      setQueue({ depth, oldestMs }: QueueView): void {
        gauges.queueDepth.set(own, depth);
        gauges.queueOldest.set(own, oldestMs / 1000);
      },
      setWatches(watches: readonly WatchView[]): void {
        for (const { name, trouble } of watches)
          gauges.watchUp.set({ ...own, collection: name }, trouble === undefined ? 1 : 0);
      },
      setWebhook({ lastAccepted, refused }: WebhookView): void {
        if (lastAccepted !== undefined) gauges.lastBatch.set(own, Date.parse(lastAccepted) / 1000);
        for (const [reason, count] of Object.entries(refused)) {
          refusals.inc({ ...own, reason }, count - (counted[reason] ?? 0));
          counted[reason] = count;
        }
      },
    };
  };
}

/** One metric of Prometheus for each description; all but histograms have the labels of a cluster, too. */
function recorderTo(
  registers: Registry[],
  labelNames: readonly string[],
): (own: Readonly<Record<string, string>>) => Recorder {
  const counters = new Map<MeasuredName, Counter>();
  const gauges = new Map<MeasuredName, Gauge>();
  const histograms = new Map<MeasuredName, Histogram>();
  for (const name of Object.keys(MEASURED) as MeasuredName[]) {
    const described = MEASURED[name];
    if ('isOfFunctions' in described) continue;
    const { help } = described;
    const labels = described.kind === 'histogram' ? [] : labelNames;
    const options = { name, help, labelNames: [...labels, ...described.labels], registers };
    if (described.kind === 'counter') counters.set(name, new Counter(options));
    else if (described.kind === 'gauge') gauges.set(name, new Gauge(options));
    else histograms.set(name, new Histogram({ ...options, buckets: [...described.buckets] }));
  }
  return (own) => {
    const last = new Map<MeasuredName, readonly Labels[]>();
    return {
      add: (name, labels, by) => counters.get(name)?.inc({ ...own, ...labels }, by),
      observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
      replace: (name, values) => {
        for (const labels of last.get(name) ?? []) gauges.get(name)?.remove({ ...own, ...labels });
        for (const [labels, value] of values) gauges.get(name)?.set({ ...own, ...labels }, value);
        last.set(
          name,
          values.map(([labels]) => labels),
        );
      },
    };
  };
}

const UNSETTLED = ['progressing', 'failed', 'blocked'] as const satisfies readonly Outcome['status'][];
type State = (typeof UNSETTLED)[number];

/** How many objects are in each state, and how long the oldest of them is; 0 where none is. */
interface UnsettledView {
  readonly count: Readonly<Record<State, number>>;
  readonly oldestMs: Readonly<Record<State, number>>;
}

const MOST_OBJECTS = 20_000;

interface Unsettled {
  readonly state: State;
  /** Since when levelset works on it, or a person has to: what was blocked and is not any more begins anew. */
  readonly sinceMs: number;
  /** A Service that had no address when it was first read; undefined until then. */
  readonly wantsAddress: boolean | undefined;
}

export class UnsettledObjects {
  readonly #objects = new BoundedMap<Key, Unsettled>(MOST_OBJECTS);
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns how long a Service waited for its address, if this run gave it: milliseconds, without those when it was blocked. */
  note({ request, outcome, plan, address, durationMs }: Report): number | undefined {
    const { key, dryRun } = request;
    if (dryRun) return undefined;
    const before = this.#objects.get(key);
    // whoever is blocked is so while members follow the Nodes
    const state = outcome.status === 'progressing' && plan && isBlocked(plan) ? 'blocked' : outcome.status;
    const isAddressed = before?.wantsAddress === true && before.state !== 'blocked' && address !== undefined;
    const waitedMs = isAddressed ? this.#now() - before.sinceMs : undefined;
    if (state === 'settled') this.#objects.delete(key);
    else {
      const goesOn = before && (before.state === 'blocked') === (state === 'blocked');
      const sinceMs = goesOn ? before.sinceMs : this.#now() - durationMs;
      const wants =
        plan && (before?.wantsAddress ?? asServiceKey(key) !== undefined) && address === undefined;
      this.#objects.set(key, { state, sinceMs, wantsAddress: plan ? wants : before?.wantsAddress });
    }
    return waitedMs;
  }

  view(): UnsettledView {
    const count = { progressing: 0, failed: 0, blocked: 0 };
    const oldestMs = { progressing: 0, failed: 0, blocked: 0 };
    const now = this.#now();
    for (const { state, sinceMs } of this.#objects.values()) {
      count[state] += 1;
      oldestMs[state] = Math.max(oldestMs[state], now - sinceMs);
    }
    return { count, oldestMs };
  }
}
