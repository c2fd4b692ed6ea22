import { Queue } from '../../../shared/queue/queue.ts';
import type { QueueTarget } from './queue-target.ts';

export const MEMORY: QueueTarget = {
  name: 'in memory',
  isDurable: false,
  rests: true,
  open: (run) => {
    const queue = new Queue({
      run,
      concurrency: 15,
      clock: { now: () => performance.now() },
      random: () => 0,
    });
    return Promise.resolve({
      offer: (...requests) => {
        for (const request of requests) queue.add(request);
        return Promise.resolve();
      },
      stop: () => queue.stop(),
      reopen: () => Promise.reject(new Error('a queue in memory ends with its process')),
    });
  },
  close: () => Promise.resolve(),
};
