import { OF_RECEIVING } from '../../shared/clusters/entry.ts';
import { flagsFromEnv, readFlags, readFlagsText, type Flags } from '../../shared/config/read-flags.ts';
import { isClusterName } from '../../shared/model/request.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import { readTokens, type ServerOptions } from '../http/admit.ts';
import { type ReceivedRequest, type ServedEndpoint, errorAnswer, noSuchPath } from '../http/exchange.ts';
import { log } from './function-log.ts';
import { enqueueTo, keyQueue } from './key-queue.ts';

type Receiving = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'self' | 'enqueue' | 'log'>;

/** An endpoint that receives events, without a kube-apiserver or OpenStack. Throws CONFIG_INVALID, or an Error when a flag is wrong. */
export async function receive(
  env: NodeJS.ProcessEnv,
  endpointOf: (options: Receiving) => ServedEndpoint,
): Promise<ServedEndpoint> {
  const enqueue = enqueueTo(keyQueue(env));
  if (env['LEVELSET_CLUSTERS']) return receiveForMany(env, enqueue, endpointOf);
  const problems: string[] = [];
  const { clusterName } = readFlags(flagsFromEnv(env), problems);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const { auditTokens } = readTokens(env);
  return endpointOf({ clusters: [clusterName], auditTokens, self: selfOf(flagsFromEnv(env)), enqueue, log });
}

/** The path names the cluster, and its entry says who may send. Without tokens of its own, the worker finds out whether it exists. */
async function receiveForMany(
  env: NodeJS.ProcessEnv,
  enqueue: Receiving['enqueue'],
  endpointOf: (options: Receiving) => ServedEndpoint,
): Promise<ServedEndpoint> {
  const { Admissions } = await import('./clusters/admitted.ts');
  const { sourceOfFunction } = await import('./clusters/parameter-source.ts');
  const admissions = new Admissions(sourceOfFunction(env, OF_RECEIVING), env);
  const optionsFor = async ({ path, headers }: ReceivedRequest): Promise<Receiving> => {
    const cluster = /^\/[^/]+\/([^/]+)\/?$/.exec(path)?.[1] ?? '';
    const { tokens, texts } = await admissions.of(cluster, 'auditTokens', headers.authorization);
    return {
      clusters: isClusterName(cluster) ? [cluster] : [],
      auditTokens: tokens.auditTokens,
      self: selfOf({ ...flagsFromEnv(env), ...readFlagsText(texts?.flags ?? '', 'flags', []) }),
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

function selfOf(flags: Flags): readonly string[] {
  return [serviceAccountUser(readFlags(flags, []).serviceAccount)];
}
