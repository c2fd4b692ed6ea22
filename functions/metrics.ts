import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CertificateInUse } from '../shared/model/tls/certificate-facts.ts';
import { asServiceKey } from '../shared/model/request.ts';
import type { Key } from '../shared/model/request.ts';
import type { QueueView, WatchView, WebhookView } from '../shared/report/page.ts';
import {
  MEASURED,
  observations,
  type Labels,
  type MeasuredName,
  type Observations,
  type Recorder,
} from './measured.ts';

/** The metrics of one cluster. */
export interface ClusterMetrics extends Omit<Observations, 'observeMessages'> {
  setQueue(queue: QueueView): void;
  /** Every certificate that the listeners of a Service use; replaces those that were set before. */
  setCertificates(service: Key, certificates: readonly CertificateInUse[]): void;
  setWebhook(webhook: WebhookView): void;
  setWatches(watches: readonly WatchView[]): void;
}

interface Scraped {
  scrape(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface Metrics extends ClusterMetrics, Scraped {}

export interface MetricsByCluster extends Scraped {
  of(cluster: string): ClusterMetrics;
  /** Whether each cluster that is named in the registry is served. */
  setServed(isServed: ReadonlyMap<string, boolean>): void;
  /** Drops what a cluster has: it is gone. */
  forget(cluster: string): Promise<void>;
}

/**
 * Prometheus metrics of one process. A label never carries a namespace or a name, since their number has no
 * bound. Certificates are the exception: they are few, and somebody has to renew each.
 */
export function createMetrics(register = new Registry()): Metrics {
  collectDefaultMetrics({ register });
  return { ...metricsIn(register, [])({}), ...scraped(register) };
}

/** The same with the label `cluster`, but for histograms: a thousand clusters would be too many series of them. */
export function createMetricsByCluster(register = new Registry()): MetricsByCluster {
  collectDefaultMetrics({ register });
  const of = metricsIn(register, ['cluster']);
  const served = new Gauge({
    name: 'levelset_cluster_served',
    help: 'Whether a cluster that the registry names is served; 0 while its entry cannot be used, or its kube-apiserver has not answered yet.',
    labelNames: ['cluster'],
    registers: [register],
  });
  return {
    of: (cluster) => of({ cluster }),
    setServed(isServed) {
      served.reset();
      for (const [cluster, is] of isServed) served.set({ cluster }, is ? 1 : 0);
    },
    async forget(cluster) {
      for (const { name } of register.getMetricsAsArray()) {
        const metric = register.getSingleMetric(name);
        const { values = [] } = (await metric?.get()) ?? {};
        for (const { labels } of values) if (labels['cluster'] === cluster) metric?.remove(labels);
      }
    },
    ...scraped(register),
  };
}

function scraped(register: Registry): Scraped {
  return {
    scrape: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  };
}

/** What makes the metrics of a cluster, whose labels are `own`. */
function metricsIn(
  register: Registry,
  labelNames: readonly string[],
): (own: Readonly<Record<string, string>>) => ClusterMetrics {
  const registers = [register];
  const queueDepth = new Gauge({
    name: 'levelset_queue_depth',
    help: 'Keys that wait in the queue; with --queue=nats://..., those that wait or run in all replicas together.',
    labelNames,
    registers,
  });
  const queueOldest = new Gauge({
    name: 'levelset_queue_oldest_seconds',
    help: 'Time that the oldest key has waited since it was due.',
    labelNames,
    registers,
  });
  const queueUp = new Gauge({
    name: 'levelset_queue_up',
    help: 'Whether the queue answers; while it does not, its depth and age are the last that were known.',
    labelNames,
    registers,
  });
  const certificateEnds = new Gauge({
    name: 'levelset_certificate_not_after_seconds',
    help: 'End of the validity of a certificate that a listener uses, in seconds since 1970, by Service and by name of its Secret or id in Barbican.',
    labelNames: [...labelNames, 'namespace', 'service', 'name'],
    registers,
  });
  const lastBatch = new Gauge({
    name: 'levelset_audit_last_batch_timestamp_seconds',
    help: 'When the last batch of events was accepted, in seconds since 1970; 0 if none was.',
    labelNames,
    registers,
  });
  const refusals = new Counter({
    name: 'levelset_audit_refusals_total',
    help: 'Requests to /audit and /events that were refused, by reason: token, path, body, aborted (the sender hung up or was too slow), queue.',
    labelNames: [...labelNames, 'reason'],
    registers,
  });
  const setWatches = watchGauge(registers, labelNames);
  const recorder = recorderTo(registers, labelNames);

  return (own) => {
    const certificatesOf = new Map<Key, readonly CertificateInUse[]>();
    const counted: Record<string, number> = {};
    return {
      ...observations(recorder(own)),
      setCertificates(key, certificates) {
        const { namespace = '', name: service = '' } = asServiceKey(key) ?? {};
        for (const { name } of certificatesOf.get(key) ?? [])
          certificateEnds.remove({ ...own, namespace, service, name });
        for (const { name, notAfter } of certificates)
          certificateEnds.set({ ...own, namespace, service, name }, Date.parse(notAfter) / 1000);
        if (certificates.length > 0) certificatesOf.set(key, certificates);
        else certificatesOf.delete(key);
      },
      setQueue(queue) {
        const isUp = !('trouble' in queue);
        const labels = queue.ofAllClusters ? {} : own; // or a sum over clusters would count it for each
        queueUp.set(labels, isUp ? 1 : 0);
        if (!isUp) return;
        queueDepth.set(labels, queue.depth);
        queueOldest.set(labels, queue.oldestMs / 1000);
      },
      setWatches: (watches) => {
        setWatches(watches, own);
      },
      setWebhook({ lastAccepted, refused }) {
        if (lastAccepted !== undefined) lastBatch.set(own, Date.parse(lastAccepted) / 1000);
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

/** What sets the metric of the watches, for serve and relay. */
export function watchGauge(
  registers: Registry[],
  labelNames: readonly string[] = [],
): (watches: readonly WatchView[], own?: Readonly<Record<string, string>>) => void {
  const up = new Gauge({
    name: 'levelset_watch_up',
    help: 'Whether the changes of a collection come by a watch.',
    labelNames: [...labelNames, 'collection'],
    registers,
  });
  return (watches, own = {}) => {
    for (const { name, trouble } of watches)
      up.set({ ...own, collection: name }, trouble === undefined ? 1 : 0);
  };
}
