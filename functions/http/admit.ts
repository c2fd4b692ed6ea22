import type { RequestHandler } from 'express';
import { authorize, authorizeReader } from '../../shared/trigger/authorize.ts';
import { HttpError } from './http-error.ts';

/** 404 for a cluster that is not ours, before anything else is looked at. */
export function requireCluster(clusters: readonly string[]): RequestHandler<{ cluster: string }> {
  return (request, _response, next) => {
    if (!clusters.includes(request.params.cluster)) {
      throw new HttpError(404, `no such cluster: ${JSON.stringify(request.params.cluster)}`);
    }
    next();
  };
}

/** 405 with Allow for any other method. */
export function requireMethod(...methods: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!methods.includes(request.method)) {
      const allow = methods.join(', ');
      throw new HttpError(405, `${request.method} is not allowed here, only ${allow}`, {
        headers: { Allow: allow },
      });
    }
    next();
  };
}

/** 401 unless one of the tokens comes as Bearer. */
export function requireToken(tokens: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!authorize(request.headers.authorization, tokens)) throw unauthorized(tokens, 'Bearer');
    next();
  };
}

/** For pages: without tokens when the server listens on loopback only, else Bearer, or Basic with it as the password. */
export function requireReader(open: boolean, tokens: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!open && !authorizeReader(request.headers.authorization, tokens)) {
      throw unauthorized(
        tokens,
        'Basic realm="levelset, any user, a token as password", charset="UTF-8", Bearer',
      );
    }
    next();
  };
}

function unauthorized(tokens: readonly string[], challenge: string): HttpError {
  const message =
    tokens.length === 0 ? 'no token is configured for this: nobody is let in' : 'no valid token';
  return new HttpError(401, message, { headers: { 'WWW-Authenticate': challenge } });
}
