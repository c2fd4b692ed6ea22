import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallRecorder } from '../ports.ts';
import type { Call, Observer } from './openstack-http.ts';

interface Tally {
  calls: number;
  readonly failedRequestIds: string[];
}

/** Counts the calls made inside one run, over all awaits in it; `note` is fed by the HTTP client. */
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

/** To read or delete what is not there is an answer, not a failure. */
function isFailure({ method, status }: Call): boolean {
  return status >= 400 && !(status === 404 && (method === 'GET' || method === 'DELETE'));
}
