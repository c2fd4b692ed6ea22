import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { invocationTime } from '../budget.ts';
import { inParallel } from '../../shared/observe/in-parallel.ts';
import { readTokens } from '../http/admit.ts';
import { KubernetesCallers } from '../http/kubernetes-callers.ts';
import { resync } from '../resync.ts';
import { functionClusters } from './clusters/clusters.ts';
import { functionWorld } from './connected.ts';
import { expressFunction } from './express-function.ts';
import { asFunction } from './invocation.ts';
import { enqueueTo } from './queues.ts';
import { runWork } from './run-work.ts';

let time = invocationTime();

const answer = expressFunction(async (env) => {
  const clusters = await functionClusters();
  if (clusters) {
    const { resyncOfMany } = await import('./clusters/resync-of-many.ts');
    return resyncOfMany(clusters, env, () => time);
  }
  const world = await functionWorld();
  return resync({
    resyncTokens: readTokens(env).resyncTokens,
    // Date.now: performance.now() may stand while the environment is frozen
    callers: new KubernetesCallers(await world.reviews(), Date.now),
    enqueue: enqueueTo(world.triggers),
    reconcile: async (requests) => {
      const ofThisRequest = time;
      return inParallel(requests, world.world.config.concurrentServiceSyncs, (request) =>
        runWork({ request, attempt: 0 }, world, ofThisRequest),
      );
    },
  });
});

/** POST /resync, or /resync/:cluster. A Lambda environment answers one request at a time, so `time` is always that of this request. */
export const handler = asFunction((event: APIGatewayProxyEventV2, context) => {
  time = invocationTime(context);
  return answer(event, context);
});
