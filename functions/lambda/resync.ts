import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Router } from 'express';
import { requestOf } from '../../shared/model/request.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import { invocationTime } from '../budget.ts';
import { readTokens, type ServerOptions } from '../http/admit.ts';
import { HttpError } from '../http/exchange.ts';
import { resync } from '../resync.ts';
import { functionClusters } from './clusters/clusters.ts';
import { connectedFunction, type ConnectedFunction } from './connected.ts';
import { expressFunction } from './express-function.ts';
import { asFunction } from './invocation.ts';
import { enqueueTo, keyQueue } from './key-queue.ts';
import { runInTime } from './run-key.ts';

let time = invocationTime();

const answer = expressFunction(async (env) => {
  const clusters = await functionClusters();
  if (!clusters) {
    const to = await connectedFunction();
    const { resyncTokens } = readTokens(env);
    return resync({ resyncTokens, ...workIn(() => Promise.resolve(to)) });
  }
  const ask = clusters.asking(env);
  return Router()
    .all('/resync', () => {
      throw new HttpError(404, 'this levelset serves several clusters: name one, /resync/CLUSTER');
    })
    .all('/resync/:cluster', async (request, response, next) => {
      const { cluster } = request.params;
      const { tokens, connected } = await ask(cluster, 'resyncTokens', request.headers);
      const options = { ...tokens, ...workIn(connected) };
      resync(options, `/clusters/${cluster}`, '/resync/:cluster')(request, response, next);
    });
});

function workIn(connected: () => Promise<ConnectedFunction>): Pick<ServerOptions, 'enqueue' | 'dryRun'> {
  return {
    enqueue: async (requests) => {
      const { env, world } = await connected();
      await enqueueTo(keyQueue(env))(requests.map((request) => requestOf(world, request)));
    },
    dryRun: async (requests) => {
      const to = await connected();
      const { concurrentServiceSyncs } = to.world.config;
      return inParallel(requests, concurrentServiceSyncs, (request) =>
        runInTime(requestOf(to.world, request), to, time.runs),
      );
    },
  };
}

/** POST /resync, or /resync/:cluster. A Lambda environment answers one request at a time, so `time` is always that of this request. */
export const handler = asFunction((event: APIGatewayProxyEventV2, context) => {
  time = invocationTime(context);
  return answer(event, context);
});
