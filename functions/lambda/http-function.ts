import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import express, { type Router } from 'express';
import serverless from 'serverless-http';
import { answerErrors, notFound } from '../http/http-error.ts';
import { environment, madeFrom } from './environment.ts';
import { log, logInvocation } from './function-log.ts';

export type HttpFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * One router behind an HTTP API (payload 2.0). The first invocation builds it, later ones find it until a secret changes. A
 * token that is refused may be a new one: then the secrets are read again, and the request is answered again by them.
 */
export function httpFunction(build: (env: NodeJS.ProcessEnv) => Promise<Router>): HttpFunction {
  const answerBy = madeFrom('tokens', async (env) => {
    const app = express().disable('x-powered-by').disable('etag');
    app.use(await build(env), notFound, answerErrors(log));
    return serverless(app, { binary: false });
  });
  return async (event, context) => {
    logInvocation(context);
    const env = await environment.read();
    const answer: APIGatewayProxyStructuredResultV2 = await (await answerBy(env))(event, context);
    if (answer.statusCode !== 401) return answer;
    const now = await environment.readAgain();
    return now === env ? answer : await (await answerBy(now))(event, context);
  };
}
