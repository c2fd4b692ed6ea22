import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { invocationBudget } from '../budget.ts';
import { inParallel } from '../in-parallel.ts';
import { readTokens } from '../http/admit.ts';
import { resync } from '../resync.ts';
import { functionWorld } from './connected.ts';
import { httpFunction } from './http-function.ts';
import { enqueueTo } from './queues.ts';
import { runWork } from './run-work.ts';

let budget = invocationBudget();

const answer = httpFunction(async () => {
  const world = await functionWorld();
  return resync({
    resyncTokens: readTokens(world.env).resyncTokens,
    enqueue: enqueueTo(world.triggers),
    reconcile: (requests) =>
      inParallel(requests, world.world.config.concurrentServiceSyncs, (request) =>
        runWork({ request, attempt: 0 }, world, budget),
      ),
  });
});

/** POST /resync. A Lambda environment answers one request at a time, so `budget` is always that of this request. */
export function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  budget = invocationBudget(context);
  return answer(event, context);
}
