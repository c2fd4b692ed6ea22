import { readFlagsText, flagsFromEnv, readFlags } from '../../../shared/config/read-flags.ts';
import { isClusterName } from '../../../shared/model/request.ts';
import { serviceAccountUser } from '../../../shared/trigger/keys-from-audit.ts';
import type { ServedEndpoint, ReceivedRequest } from '../../http/exchange.ts';
import { errorAnswer, noSuchPath } from '../../http/http-error.ts';
import type { ServerOptions } from '../../http/server-options.ts';
import { log } from '../function-log.ts';
import { enqueueTo, keyQueue } from '../key-queue.ts';
import { Admissions } from './admitted.ts';
import { OF_RECEIVING } from './parameter-source.ts';
import { sourceOfFunction } from './source-of-function.ts';

export type Receiving = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'self' | 'enqueue' | 'log'>;

/**
 * An endpoint that receives events of many clusters: the path names one, and its entry says who may send. Whether there is one that
 * has no tokens of its own, the worker finds out. Throws CONFIG_INVALID.
 */
export function receiveForMany(
  env: NodeJS.ProcessEnv,
  endpointOf: (options: Receiving) => ServedEndpoint,
): ServedEndpoint {
  const admissions = new Admissions(sourceOfFunction(env, OF_RECEIVING), env);
  const enqueue = enqueueTo(keyQueue(env));

  const optionsFor = async ({ path, headers }: ReceivedRequest): Promise<Receiving> => {
    const cluster = /^\/[^/]+\/([^/]+)\/?$/.exec(path)?.[1] ?? '';
    const { tokens, texts } = await admissions.of(cluster, 'auditTokens', headers.authorization);
    const own = readFlagsText(texts?.flags ?? '', 'flags', []);
    const { serviceAccount } = readFlags({ ...flagsFromEnv(env), ...own }, []);
    return {
      clusters: isClusterName(cluster) ? [cluster] : [],
      auditTokens: tokens.auditTokens,
      self: [serviceAccountUser(serviceAccount)],
      enqueue: (requests) => enqueue(requests.map((request) => ({ ...request, cluster }))),
      log,
    };
  };
  return async (request) => {
    try {
      const answer = await endpointOf(await optionsFor(request))(request);
      return answer ?? errorAnswer(noSuchPath(request), request, log);
    } catch (error) {
      return errorAnswer(error, request, log);
    }
  };
}
