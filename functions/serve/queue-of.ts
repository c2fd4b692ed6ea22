import type { Flags } from '../../shared/config/read-flags.ts';
import { NotAllowed, queueServers, refusalOf } from '../../shared/config/read-value.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { ServeQueue, ServeQueueOptions } from './serve-queue.ts';

type QueueFlags = Pick<Flags, 'queue' | 'queueCredentialsFile' | 'queueCaFile' | 'dryRun'>;

/** What makes the queue that --queue names; undefined for one in memory. The client of NATS is loaded when it is named. Throws CONFIG_INVALID. */
export async function queueOf(
  flags: QueueFlags,
): Promise<((options: ServeQueueOptions) => ServeQueue) | undefined> {
  const { queue = 'memory', queueCredentialsFile: credentialsFile, queueCaFile: caFile, dryRun } = flags;
  const servers = queueServers(queue);
  if (servers instanceof NotAllowed) throw invalid(refusalOf('--queue', queue, servers));
  if (servers.length === 0) {
    if (credentialsFile === undefined && caFile === undefined) return undefined;
    throw invalid('--queue-credentials-file and --queue-ca-file need --queue=nats://HOST:4222');
  }
  if (dryRun)
    throw invalid(
      '--dry-run takes no keys from a queue that others work on: give --queue=memory, or leave --dry-run out',
    );
  const { SharedQueue } = await import('./shared-queue.ts');
  const address = {
    servers,
    ...(credentialsFile !== undefined && { credentialsFile }),
    ...(caFile !== undefined && { caFile }),
  };
  return (options) => new SharedQueue(options, address);
}

function invalid(message: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', message);
}
