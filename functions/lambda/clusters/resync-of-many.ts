import { Router } from 'express';
import { requestOf } from '../../../shared/model/request.ts';
import type { InvocationTime } from '../../budget.ts';
import { callersBehindNames } from '../../clusters/callers-behind-names.ts';
import { HttpError } from '../../http/http-error.ts';
import { KubernetesCallers } from '../../http/kubernetes-callers.ts';
import { inParallel } from '../../../shared/observe/in-parallel.ts';
import { resync } from '../../resync.ts';
import { withQueues, type ConnectedFunction } from '../connected.ts';
import { enqueueTo } from '../queues.ts';
import { runWork } from '../run-work.ts';
import { AskedClusters } from './asked-clusters.ts';
import type { FunctionClusters } from './function-clusters.ts';

/** POST /resync/:cluster. Throws CONFIG_INVALID. */
export function resyncOfMany(
  clusters: FunctionClusters,
  env: NodeJS.ProcessEnv,
  timeNow: () => InvocationTime,
): Router {
  const asked = new AskedClusters(clusters, env);
  const callersOf = new WeakMap<ConnectedFunction, KubernetesCallers>();
  const callers = async (connected: ConnectedFunction): Promise<KubernetesCallers> => {
    const known = callersOf.get(connected) ?? new KubernetesCallers(await connected.reviews(), Date.now);
    callersOf.set(connected, known);
    return known;
  };
  return Router()
    .all('/resync', () => {
      throw new HttpError(404, 'this levelset serves several clusters: name one, /resync/CLUSTER');
    })
    .all('/resync/:cluster', async (request, response, next) => {
      const { tokens, connected, reachable } = await asked.find(
        request.params.cluster,
        'resyncTokens',
        request.headers,
      );
      const reached = await reachable();
      const options = {
        resyncTokens: tokens.resyncTokens,
        callers: callersBehindNames(reached && (await callers(reached)), 0),
        enqueue: async (requests: Parameters<Parameters<typeof resync>[0]['enqueue']>[0]) => {
          const { triggers, world } = withQueues(await connected());
          await enqueueTo(triggers)(requests.map((one) => requestOf(world, one)));
        },
        reconcile: async (requests: Parameters<Parameters<typeof resync>[0]['reconcile']>[0]) => {
          const to = withQueues(await connected());
          const time = timeNow();
          return inParallel(requests, to.world.config.concurrentServiceSyncs, (one) =>
            runWork({ request: requestOf(to.world, one), attempt: 0 }, to, time),
          );
        },
      };
      resync(options, '/resync/:cluster')(request, response, next);
    });
}
