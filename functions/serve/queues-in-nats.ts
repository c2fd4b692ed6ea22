import type { Log } from '../../shared/ports.ts';
import { connectNats, type NatsAddress } from '../../shared/queue/jetstream/connect-nats.ts';
import { JetStreamQueue } from '../../shared/queue/jetstream/jetstream-queue.ts';
import { clusterOwner, deploymentOwner } from '../../shared/queue/jetstream/layout.ts';
import type { QueueOfClusters, ServeQueueOptions } from './serve-queue.ts';
import { SharedQueue } from './shared-queue.ts';

/** Longer than nearly all runs take, and bearable for who waits behind one that hangs. */
const HOLD_MS = 5_000;

export function natsOfCluster(options: ServeQueueOptions, address: NatsAddress): SharedQueue {
  const queue = new JetStreamQueue({
    connect: () => connectNats(address),
    owner: async () => clusterOwner((await options.cluster()).id),
    log: options.world.log,
  });
  return new SharedQueue(options, queue);
}

/** One connection and one set of consumers for all clusters of the process. */
export function natsOfClusters(name: string, address: NatsAddress, log: Log): QueueOfClusters {
  const queue = new JetStreamQueue({
    connect: () => connectNats(address),
    owner: () => Promise.resolve(deploymentOwner(name)),
    holdMs: HOLD_MS,
    log,
  });
  return {
    of: (options) => new SharedQueue(options, queue),
    start: () => {
      queue.start();
    },
    trouble: () => queue.trouble,
    stop: (last) => queue.stop(last),
  };
}
