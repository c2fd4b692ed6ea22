import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { resync } from '../resync.ts';
import { readTokens } from '../tokens.ts';
import { functionWorld } from './connected.ts';
import { enqueueTo } from './enqueue.ts';
import { httpFunction } from './http-function.ts';
import { invocationBudget } from './invocation-budget.ts';
import { runWork } from './run-work.ts';

let budget = invocationBudget();

const answer = httpFunction(async () => {
  const world = await functionWorld();
  return resync({
    resyncTokens: readTokens(world.env).resyncTokens,
    enqueue: enqueueTo(world.triggers),
    reconcile: (request) => runWork({ request, attempt: 0 }, world, budget),
  });
});

/** POST /resync. An environment answers one request at a time, so the budget is always the one of this request. */
export function handler(
  event: APIGatewayProxyEventV2,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  budget = invocationBudget(context);
  return answer(event, context);
}
