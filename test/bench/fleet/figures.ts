import type { Fleet } from './fleet.ts';
import type { Edit } from './people.ts';
import type { Ran } from './worker-process.ts';

/** How long it took from an edit until a run of its key found nothing left to do, in milliseconds. */
export interface Waits {
  readonly done: number;
  readonly mean: number;
  readonly p99: number;
  /** The mean of the cluster whose keys took longest. */
  readonly slowest: number;
  readonly slowestCluster: string;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

interface Took {
  readonly cluster: string;
  readonly ms: number;
}

/** By the runs that ended after each edit. */
export function tookOf(edits: readonly Edit[], runs: readonly Ran[]): readonly Took[] {
  const byKey = Map.groupBy(
    runs.filter(({ status }) => status === 'settled'),
    ({ cluster, key }) => `${cluster}:${key}`,
  );
  return edits.flatMap(({ cluster, key, atMs }) => {
    const done = byKey.get(`${cluster}:${key}`)?.find((run) => run.atMs >= atMs);
    return done ? { cluster, ms: done.atMs - atMs } : [];
  });
}

export function waitsOf(took: readonly Took[]): Waits {
  const sorted = took.map(({ ms }) => ms).sort((a, b) => a - b);
  const means = [...Map.groupBy(took, ({ cluster }) => cluster)].map(
    ([cluster, its]) => [cluster, mean(its.map(({ ms }) => ms))] as const,
  );
  const [slowestCluster = '', slowest = NaN] = means.sort(([, a], [, b]) => b - a)[0] ?? [];
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
  return { done: took.length, mean: mean(sorted), p99, slowest, slowestCluster };
}

const s = (ms: number): string => (ms / 1e3).toFixed(1);

/** @param of so many there are in all */
export function inWords({ done, mean, p99, slowest, slowestCluster }: Waits, of: number): string {
  return `${done} of ${of} done, mean ${s(mean)} s, p99 ${s(p99)} s, slowest cluster ${s(slowest)} s (${slowestCluster})`;
}

/** Clusters by how often they were swept. */
export function sweepsOf({ interval: { sweeps }, hanging }: Fleet, clusters: number): Record<string, number> {
  const counts = Map.groupBy(sweeps, ({ cluster }) => cluster);
  const others = [...counts].filter(([cluster]) => !hanging.includes(cluster));
  const times = (wanted: (count: number) => boolean): number =>
    others.filter(([, its]) => wanted(its.length)).length;
  return {
    once: times((count) => count === 1),
    more: times((count) => count > 1),
    never: clusters - hanging.length - others.length,
  };
}
