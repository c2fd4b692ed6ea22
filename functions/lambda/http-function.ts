import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import express, { type Router } from 'express';
import serverless from 'serverless-http';
import type { Log } from '../../shared/ports.ts';
import { answerErrors, notFound } from '../http/http-error.ts';
import { createLog } from '../log.ts';
import { once } from '../../shared/memory/answers.ts';

export type HttpFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** One router behind an HTTP API (payload 2.0). The first invocation builds it, later ones find it. */
export function httpFunction(build: (log: Log) => Promise<Router>): HttpFunction {
  const log = createLog();
  const adapted = once(async () => {
    const app = express().disable('x-powered-by').disable('etag');
    app.use(await build(log), notFound, answerErrors(log));
    return serverless(app, { binary: false });
  });
  return async (event, context) => {
    const answer = await adapted();
    return await answer(event, context);
  };
}
