import type { Report } from '../model/outcome.ts';
import { isOutsideOctavia } from '../model/load-balancer/outside-octavia.ts';

/** What Octavia is busy with; the same words as in PENDING_*. */
export type Operation = 'create' | 'update' | 'delete';

const REMEMBERED = 9;

/** How long Octavia took lately, in this process. */
export class ExpectedDurations {
  readonly #seen = new Map<Operation, number[]>();

  learn(operation: Operation, durationMs: number): void {
    const seen = this.#seen.get(operation) ?? [];
    this.#seen.set(operation, [...seen, durationMs].slice(-REMEMBERED));
  }

  /** What one in four did not need, in milliseconds; undefined before the first one was seen to its end. */
  quickest(operation: Operation): number | undefined {
    const sorted = [...(this.#seen.get(operation) ?? [])].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 4)];
  }
}

/** What a run left Octavia busy with: its last write tells. Undefined when it wrote nothing and only found it busy. */
export function operationOf(report: Report): Operation | undefined {
  const last = report.applied.findLast((step) => !isOutsideOctavia(step.kind));
  if (!last) return undefined;
  return last.kind === 'loadbalancer' ? last.verb : 'update';
}
