import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CertificateInUse } from '../shared/model/tls/certificate-facts.ts';
import { asServiceKey } from '../shared/model/request.ts';
import type { Key } from '../shared/model/request.ts';
import type { QueueView, WatchView, WebhookView } from '../shared/report/page.ts';
import { MEASURED, observations, type MeasuredName, type Observations, type Recorder } from './measured.ts';

export interface Metrics extends Omit<Observations, 'observeMessages'> {
  setQueue(queue: QueueView): void;
  /** Every certificate that the listeners of a Service use; replaces those that were set before. */
  setCertificates(service: Key, certificates: readonly CertificateInUse[]): void;
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

  const queueDepth = new Gauge({
    name: 'levelset_queue_depth',
    help: 'Keys that wait in the queue; with --queue=nats://..., those that wait or run in all replicas together.',
    registers,
  });
  const queueOldest = new Gauge({
    name: 'levelset_queue_oldest_seconds',
    help: 'Time that the oldest key has waited since it was due.',
    registers,
  });
  const queueUp = new Gauge({
    name: 'levelset_queue_up',
    help: 'Whether the queue answers; while it does not, its depth and age are the last that were known.',
    registers,
  });
  const certificateEnds = new Gauge({
    name: 'levelset_certificate_not_after_seconds',
    help: 'End of the validity of a certificate that a listener uses, in seconds since 1970, by Service and by name of its Secret or id in Barbican.',
    labelNames: ['namespace', 'service', 'name'],
    registers,
  });
  const certificatesOf = new Map<Key, readonly CertificateInUse[]>();
  const lastBatch = new Gauge({
    name: 'levelset_audit_last_batch_timestamp_seconds',
    help: 'When the last batch of events was accepted, in seconds since 1970; 0 if none was.',
    registers,
  });
  const refusals = new Counter({
    name: 'levelset_audit_refusals_total',
    help: 'Requests to /audit and /events that were refused, by reason: token, path, body, aborted (the sender hung up or was too slow), queue.',
    labelNames: ['reason'],
    registers,
  });

  const setWatches = watchGauge(registers);

  return {
    ...observations(recorderTo(registers)),
    setCertificates(key, certificates) {
      const { namespace = '', name: service = '' } = asServiceKey(key) ?? {};
      for (const { name } of certificatesOf.get(key) ?? [])
        certificateEnds.remove({ namespace, service, name });
      for (const { name, notAfter } of certificates)
        certificateEnds.set({ namespace, service, name }, Date.parse(notAfter) / 1000);
      if (certificates.length > 0) certificatesOf.set(key, certificates);
      else certificatesOf.delete(key);
    },
    setQueue(queue) {
      const isUp = !('trouble' in queue);
      queueUp.set(isUp ? 1 : 0);
      if (!isUp) return;
      queueDepth.set(queue.depth);
      queueOldest.set(queue.oldestMs / 1000);
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

/** One metric of Prometheus for each description. */
function recorderTo(registers: Registry[]): Recorder {
  const counters = new Map<MeasuredName, Counter>();
  const gauges = new Map<MeasuredName, Gauge>();
  const histograms = new Map<MeasuredName, Histogram>();
  for (const name of Object.keys(MEASURED) as MeasuredName[]) {
    const described = MEASURED[name];
    if ('isOfFunctions' in described) continue;
    const { help } = described;
    const options = { name, help, labelNames: [...described.labels], registers };
    if (described.kind === 'counter') counters.set(name, new Counter(options));
    else if (described.kind === 'gauge') gauges.set(name, new Gauge(options));
    else histograms.set(name, new Histogram({ ...options, buckets: [...described.buckets] }));
  }
  return {
    add: (name, labels, by) => counters.get(name)?.inc(labels, by),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    replace: (name, values) => {
      gauges.get(name)?.reset();
      for (const [labels, value] of values) gauges.get(name)?.set(labels, value);
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
