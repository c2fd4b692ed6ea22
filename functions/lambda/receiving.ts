import { flagsFromEnv, readFlags } from '../../shared/config/read-flags.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import { readTokens } from '../http/admit.ts';
import type { ServedEndpoint } from '../http/exchange.ts';
import type { Receiving } from './clusters/receive.ts';
import { log } from './function-log.ts';
import { enqueueTo, keyQueue } from './key-queue.ts';

/** What the functions that only receive events need: no kube-apiserver, no OpenStack. Throws when a flag is wrong. */
function receiving(env: NodeJS.ProcessEnv): Receiving {
  const problems: string[] = [];
  const { clusterName, serviceAccount } = readFlags(flagsFromEnv(env), problems);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return {
    clusters: [clusterName],
    auditTokens: readTokens(env).auditTokens,
    self: [serviceAccountUser(serviceAccount)],
    enqueue: enqueueTo(keyQueue(env)),
    log,
  };
}

/** An endpoint that receives events: of the only cluster, or of those that a registry names. */
export async function receive(
  env: NodeJS.ProcessEnv,
  endpointOf: (options: Receiving) => ServedEndpoint,
): Promise<ServedEndpoint> {
  if (!env['LEVELSET_CLUSTERS']) return endpointOf(receiving(env));
  const { receiveForMany } = await import('./clusters/receive.ts');
  return receiveForMany(env, endpointOf);
}
