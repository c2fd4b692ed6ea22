import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { MEASURED, observations, type Labels, type MeasuredName, type Recorder } from '../measured.ts';

const NAMESPACE = 'levelset';
/** The most values of one metric in a line: Powertools ends a line by itself at 100, and forgets its dimensions then. */
const MOST_VALUES = 99;

interface Line {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Map<MeasuredName, number[]>;
}

/** The figures of one invocation, as log lines in the embedded metric format: CloudWatch makes metrics of them without a call. */
export class FunctionMetrics implements Recorder {
  readonly #lines = new Map<string, Line>();

  readonly add: Recorder['add'] = (name, labels, by) => {
    if (by === 0) return;
    const [sum = 0] = this.#valuesOf(name, labels).splice(0);
    this.#valuesOf(name, labels).push(sum + by);
  };

  readonly observe: Recorder['observe'] = (name, labels, value) => {
    this.#valuesOf(name, labels).push(value);
  };

  readonly replace: Recorder['replace'] = (name, values) => {
    for (const [labels, value] of values) {
      this.#valuesOf(name, labels).splice(0, Infinity, value);
    }
  };

  /** Writes the lines; every metric has the cluster as a dimension, too. */
  publish(cluster: string): void {
    for (const { dimensions, values } of this.#lines.values()) {
      const most = Math.max(...[...values.values()].map(({ length }) => length));
      for (let from = 0; from < most; from += MOST_VALUES) {
        const metrics = new Metrics({ namespace: NAMESPACE });
        metrics.clearDefaultDimensions();
        metrics.addDimensions({ cluster, ...dimensions });
        for (const [name, all] of values)
          for (const value of all.slice(from, from + MOST_VALUES))
            metrics.addMetric(name, unitOf(name), value);
        metrics.publishStoredMetrics();
      }
    }
    this.#lines.clear();
  }

  #valuesOf(name: MeasuredName, labels: Labels): number[] {
    const described = MEASURED[name];
    const kept: readonly string[] = 'dimensions' in described ? described.dimensions : described.labels;
    const dimensions = Object.fromEntries(kept.map((label) => [label, String(labels[label])]));
    const id = JSON.stringify(dimensions);
    const line = this.#lines.get(id) ?? { dimensions, values: new Map<MeasuredName, number[]>() };
    this.#lines.set(id, line);
    const values = line.values.get(name) ?? [];
    line.values.set(name, values);
    return values;
  }
}

function unitOf(name: MeasuredName): (typeof MetricUnit)[keyof typeof MetricUnit] {
  return name.endsWith('_seconds') ? MetricUnit.Seconds : MetricUnit.Count;
}

const recorder = new FunctionMetrics();

export const metrics = observations(recorder);

export function publishMetrics(): void {
  recorder.publish(process.env['LEVELSET_CLUSTER_NAME'] ?? 'kubernetes');
}
