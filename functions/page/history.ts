import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { reasonOf, type Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { PastRun } from '../../shared/report/page/object-view.ts';

const MOST_OF_ONE = 10;
/** Of all objects: some megabytes. */
const MOST = 20_000;

export class History {
  readonly #runs = new BoundedMap<Key, readonly PastRun[]>(MOST, ({ length }) => length);

  add({ request, outcome, applied, calls, durationMs, failedRequestIds }: Report, at: string): void {
    const { key, trigger, cause } = request;
    const run: PastRun = {
      ...{ at, trigger, ...(cause !== undefined && { cause }) },
      ...{ state: outcome.status, reason: reasonOf(outcome) },
      ...(outcome.status === 'failed' && { code: outcome.code }),
      did: applied.length === 0 ? 'wrote nothing' : summarizeSteps(applied).replaceAll('to ', ''),
      ...{ calls, durationMs, failedRequestIds },
    };
    this.#runs.set(key, [run, ...this.of(key)].slice(0, MOST_OF_ONE));
  }

  of(key: Key): readonly PastRun[] {
    return this.#runs.get(key) ?? [];
  }
}
