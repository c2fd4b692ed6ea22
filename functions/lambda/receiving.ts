import { flagsFromEnv, readFlags } from '../../shared/config/read-flags.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import { readTokens } from '../http/admit.ts';
import type { ServerOptions } from '../http/server-options.ts';
import { log } from './function-log.ts';
import { enqueueTo, triggerQueue } from './queues.ts';

type Receiving = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'self' | 'enqueue' | 'log'>;

/** What the functions that only receive events need: no kube-apiserver, no OpenStack. Throws when a flag is wrong. */
export function receiving(env: NodeJS.ProcessEnv): Receiving {
  const problems: string[] = [];
  const { clusterName, serviceAccount } = readFlags(flagsFromEnv(env), problems);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return {
    clusters: [clusterName],
    auditTokens: readTokens(env).auditTokens,
    self: [serviceAccountUser(serviceAccount)],
    enqueue: enqueueTo(triggerQueue(env)),
    log,
  };
}
