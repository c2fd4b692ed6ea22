import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Log } from '../../shared/ports.ts';
import { admit, type Admission } from './admit.ts';
import {
  errorAnswer,
  noSuchPath,
  type ServedEndpoint,
  type SentAnswer,
  type ReceivedRequest,
} from './exchange.ts';

export function receivedRequest(request: Request): ReceivedRequest {
  const { method, path, headers, ip: from } = request;
  return { method, path, headers, from, body: request };
}

export function onExpress(endpoint: ServedEndpoint): RequestHandler {
  return async (request, response, next) => {
    const answer = endpoint(receivedRequest(request));
    if (answer) send(response, await answer);
    else next();
  };
}

export function admitting(...admissions: readonly Admission[]): RequestHandler {
  return async (request, _response, next) => {
    await admit(receivedRequest(request), admissions);
    next();
  };
}

export const notFound: RequestHandler = (request) => {
  throw noSuchPath(request);
};

export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) next(error);
    else {
      // express decodes names in paths, and what is no UTF-8 is in no path
      const known = error instanceof URIError ? noSuchPath(request) : error;
      send(response, errorAnswer(known, receivedRequest(request), log));
    }
  };
}

function send(response: Response, { status, headers, body }: SentAnswer): void {
  response.status(status).set(headers).send(body);
}
