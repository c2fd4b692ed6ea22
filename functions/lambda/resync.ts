import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import { invocationTime } from '../budget.ts';
import { readTokens } from '../http/admit.ts';
import { KubernetesCallers } from '../http/kubernetes-callers.ts';
import { resync } from '../resync.ts';
import { functionClusters } from './clusters/clusters.ts';
import { functionWorld, type ConnectedFunction } from './connected.ts';
import { expressFunction } from './express-function.ts';
import { asFunction } from './invocation.ts';
import { enqueueTo } from './key-queue.ts';
import { runInTime } from './run-key.ts';

let time = invocationTime();

const answer = expressFunction(async (env) => {
  const clusters = await functionClusters();
  if (clusters) {
    const { resyncOfMany } = await import('./clusters/resync-of-many.ts');
    return resyncOfMany(clusters, env, dryRuns);
  }
  const to = await functionWorld();
  return resync({
    resyncTokens: readTokens(env).resyncTokens,
    // Date.now: performance.now() may stand while the environment is frozen
    callers: new KubernetesCallers(await to.reviews(), Date.now),
    enqueue: enqueueTo(to.queue),
    reconcile: (requests) => dryRuns(requests, to),
    page: '/',
  });
});

function dryRuns(requests: readonly ReconcileRequest[], to: ConnectedFunction): Promise<readonly Report[]> {
  const { runs } = time;
  const { concurrentServiceSyncs } = to.world.config;
  return inParallel(requests, concurrentServiceSyncs, (request) => runInTime(request, to, runs));
}

/** POST /resync, or /resync/:cluster. A Lambda environment answers one request at a time, so `time` is always that of this request. */
export const handler = asFunction((event: APIGatewayProxyEventV2, context) => {
  time = invocationTime(context);
  return answer(event, context);
});
