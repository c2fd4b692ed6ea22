import type { Log } from '../../shared/ports.ts';
import type { ServerOptions } from '../http/server-options.ts';
import { readTokens } from '../tokens.ts';
import { enqueueTo } from './enqueue.ts';
import { withParameters } from './parameters.ts';
import { triggerQueue } from './queues.ts';

type Receiving = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'self' | 'enqueue' | 'log'>;

/** What the functions that only receive events need: no kube-apiserver, no OpenStack. */
export async function receiving(log: Log): Promise<Receiving> {
  const env = await withParameters(process.env);
  const namespace = env['LEVELSET_NAMESPACE'] ?? 'kube-system';
  return {
    clusters: [env['LEVELSET_CLUSTER_NAME'] ?? 'kubernetes'],
    auditTokens: readTokens(env).auditTokens,
    self: [`system:serviceaccount:${namespace}:levelset`],
    enqueue: enqueueTo(triggerQueue(env)),
    log,
  };
}
