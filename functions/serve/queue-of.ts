import { FLAGS } from '../../shared/config/flags.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { label, NotAllowed, queueServers, refusalOf } from '../../shared/config/read-value.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import type { NatsAddress } from '../../shared/queue/jetstream/connect-nats.ts';
import type { MakeQueue, QueueOfClusters } from './serve-queue.ts';

type QueueFlags = Pick<Flags, 'queue' | 'queueName' | 'queueCredentialsFile' | 'queueCaFile' | 'dryRun'>;

/** What makes the queue that --queue names; undefined for one in memory. The client of NATS is loaded when it is named. Throws CONFIG_INVALID. */
export async function queueOf(flags: QueueFlags): Promise<MakeQueue | undefined> {
  if (flags.queueName !== undefined)
    throw invalid('--queue-name needs --clusters: the queue of one cluster has the UID of that');
  const address = natsAddress(flags);
  if (!address) return undefined;
  const { natsOfCluster } = await import('./queues-in-nats.ts');
  return (options) => natsOfCluster(options, address);
}

/** The same for all clusters of a process. Throws CONFIG_INVALID. */
export async function queueOfClusters(flags: QueueFlags, log: Log): Promise<QueueOfClusters | undefined> {
  const address = natsAddress(flags);
  const { queueName } = flags;
  if (!address && queueName !== undefined) throw invalid('--queue-name needs --queue=nats://HOST:4222');
  const name = label(queueName ?? FLAGS['queue-name'].default);
  if (name instanceof NotAllowed) throw invalid(refusalOf('--queue-name', queueName, name));
  if (!address) return undefined;
  const { natsOfClusters } = await import('./queues-in-nats.ts');
  return natsOfClusters(name, address, log);
}

/** Undefined: in memory. */
function natsAddress({
  queue = 'memory',
  queueCredentialsFile: credentialsFile,
  queueCaFile: caFile,
  dryRun,
}: QueueFlags): NatsAddress | undefined {
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
  return {
    servers,
    ...(credentialsFile !== undefined && { credentialsFile }),
    ...(caFile !== undefined && { caFile }),
  };
}

function invalid(message: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', message);
}
