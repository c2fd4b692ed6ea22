import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallRecorder } from '../ports.ts';
import type { Call, Observer } from './openstack-http.ts';

interface Tally {
  calls: number;
  readonly failedRequestIds: string[];
}

/** Counts the calls of one run, those after an `await` as well. */
export function createCallRecorder(): { readonly recorder: CallRecorder; readonly note: Observer } {
  const runs = new AsyncLocalStorage<Tally>();
  return {
    recorder: {
      async record(run) {
        const tally: Tally = { calls: 0, failedRequestIds: [] };
        const value = await runs.run(tally, run);
        return { value, ...tally };
      },
    },
    note(call) {
      const tally = runs.getStore();
      if (tally === undefined) return;
      tally.calls += 1;
      if (call.requestId !== undefined && isFailure(call)) tally.failedRequestIds.push(call.requestId);
    },
  };
}

/** A 404 to a GET or DELETE is an answer and no failure. */
function isFailure({ method, status }: Call): boolean {
  return status >= 400 && !(status === 404 && (method === 'GET' || method === 'DELETE'));
}
