/** A process that works on a queue in JetStream and notes each run in a file: node queue-worker.ts NATS_URL CLUSTER FILE */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../../shared/model/outcome.ts';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { JetStreamQueue } from '../../../shared/queue/jetstream/jetstream-queue.ts';
import { clusterOwner } from '../../../shared/queue/jetstream/layout.ts';

const [, , url = '', cluster = '', file = ''] = process.argv;
const note = (what: string, key: string): void => {
  appendFileSync(file, `${what} ${key} ${process.hrtime.bigint()}\n`);
};
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const FAILED: Outcome = { status: 'failed', code: 'CLOUD_UNAVAILABLE', message: '', retryAfterMs: 0 };

const queue = new JetStreamQueue({
  connect: () => connectNats({ servers: [url] }),
  owner: () => Promise.resolve(clusterOwner(cluster)),
  log: QUIET,
});
queue.join(undefined, {
  run: async (request) => {
    note('began', request.key);
    await pause(80 * Math.random());
    const outcome: Outcome = Math.random() < 0.02 ? FAILED : { status: 'settled' };
    note('ended', request.key);
    return { request, outcome, applied: [], durationMs: 1, calls: 0, failedRequestIds: [] };
  },
});
queue.start();
while (queue.trouble !== undefined) await pause(10);
process.send?.('ready');
process.once('SIGTERM', () => void queue.stop().then(() => process.exit(0)));
