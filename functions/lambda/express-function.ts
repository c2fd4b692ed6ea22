import express, { type Router } from 'express';
import serverless from 'serverless-http';
import { answerErrors, notFound } from '../http/on-express.ts';
import { log } from './function-log.ts';
import { bySecrets, type HttpFunction } from './http-function.ts';

/** One router of express behind an HTTP API (payload 2.0). */
export function expressFunction(build: (env: NodeJS.ProcessEnv) => Promise<Router>): HttpFunction {
  return bySecrets(async (env) => {
    const app = express().disable('x-powered-by').disable('etag');
    app.use(await build(env), notFound, answerErrors(log));
    return serverless(app, { binary: false });
  });
}
