/**
 * Octavia hangs, and each run of a Service takes as long as its time-out. Requeued keys always come before those that a sweep
 * found: a Node whose server is gone waits for as long as Octavia hangs.
 */
import { MemoryQueue } from '../../../shared/queue/memory-queue.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { pause } from '../../support/sandbox-world.ts';
import { show } from '../show.ts';

const RUN_MS = 1_000;
let services = 0;
let nodes = 0;
const queue = new MemoryQueue({
  concurrency: 15,
  clock: { now: () => Date.now() },
  run: async (request) => {
    const report = { request, applied: [], durationMs: 0, calls: 0, failedRequestIds: [] };
    if (request.key.startsWith('node/')) {
      nodes += 1;
      return { ...report, outcome: { status: 'settled' } } satisfies Report;
    }
    services += 1;
    await pause(RUN_MS);
    const outcome = {
      status: 'failed',
      code: 'CLOUD_UNAVAILABLE',
      message: '',
      retryAfterMs: 1_000,
    } as const;
    return { ...report, outcome } satisfies Report;
  },
});
for (let at = 0; at < 120; at += 1) queue.add({ key: `service/a/s${at}`, trigger: 'audit' });
await pause(2_000);
queue.add({ key: 'node/gone', trigger: 'sweep' });
for (const seconds of [10, 20, 30]) {
  await pause(10_000);
  show(`${seconds} s after the sweep`, `${services} runs of Services, ${nodes} of the Node`);
}
process.exit(0);
