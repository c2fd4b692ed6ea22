import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { MEASURED, type Labels, type MeasuredName, type Recorder } from './measured.ts';

/** One metric of Prometheus for each description; all but histograms have the labels of a cluster, too. */
export function recorderTo(
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
