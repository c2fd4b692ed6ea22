import { randomUUID } from 'node:crypto';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { JetStreamQueue } from '../../../shared/queue/jetstream/jetstream-queue.ts';
import { clusterOwner } from '../../../shared/queue/jetstream/layout.ts';
import { startNats } from './nats-server.ts';
import type { QueueTarget, Run } from './queue-target.ts';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** JetStream of a real nats-server. Each queue is that of another cluster, and two processes work on it. */
export async function jetStreamTarget(): Promise<QueueTarget> {
  const nats = await startNats();
  const processes = (cluster: string, run: Run): readonly [JetStreamQueue, JetStreamQueue] => {
    const begin = (): JetStreamQueue => {
      const connect = () => connectNats({ servers: [nats.url] });
      const owner = () => Promise.resolve(clusterOwner(cluster));
      const queue = new JetStreamQueue({ connect, owner, log: QUIET, random: () => 0 });
      queue.join(undefined, { run });
      queue.start();
      return queue;
    };
    return [begin(), begin()];
  };
  return {
    name: 'NATS JetStream',
    pace: 1,
    isDurable: true,
    rests: false,
    open: (run) => {
      const cluster = randomUUID();
      let [one, other] = processes(cluster, run);
      return Promise.resolve({
        offer: async (...requests) => {
          await Promise.all(requests.map((request, at) => (at % 2 === 0 ? one : other).add(request)));
        },
        stop: async () => {
          await Promise.all([one.stop(), other.stop()]);
        },
        reopen: () => {
          [one, other] = processes(cluster, run);
          return Promise.resolve();
        },
      });
    },
    close: () => nats.close(),
  };
}
