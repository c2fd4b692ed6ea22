import { Router } from 'express';
import type { Report } from '../../../shared/model/outcome.ts';
import { requestOf, type ReconcileRequest } from '../../../shared/model/request.ts';
import { HttpError } from '../../http/http-error.ts';
import { KubernetesCallers } from '../../http/kubernetes-callers.ts';
import { resync } from '../../resync.ts';
import { withQueue, type ConnectedFunction } from '../connected.ts';
import { enqueueTo } from '../key-queue.ts';
import { AskedClusters } from './asked-clusters.ts';
import type { FunctionClusters } from './function-clusters.ts';

/** POST /resync/:cluster. Throws CONFIG_INVALID. */
export function resyncOfMany(
  clusters: FunctionClusters,
  env: NodeJS.ProcessEnv,
  dryRuns: (requests: readonly ReconcileRequest[], to: ConnectedFunction) => Promise<readonly Report[]>,
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
      const options: Parameters<typeof resync>[0] = {
        resyncTokens: tokens.resyncTokens,
        ...(reached && { callers: await callers(reached) }),
        enqueue: async (requests) => {
          const { queue, world } = withQueue(await connected());
          await enqueueTo(queue)(requests.map((one) => requestOf(world, one)));
        },
        reconcile: async (requests) => {
          const to = await connected();
          return dryRuns(
            requests.map((one) => requestOf(to.world, one)),
            to,
          );
        },
        page: `/clusters/${request.params.cluster}`,
      };
      resync(options, '/resync/:cluster')(request, response, next);
    });
}
