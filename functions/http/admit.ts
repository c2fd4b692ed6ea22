import type { RequestHandler } from 'express';
import { authorize, authorizeReader } from '../../shared/trigger/authorize.ts';
import { HttpError } from './http-error.ts';

/** 404 for another cluster. This check comes before all others. */
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

/** 401 unless the request has one of the tokens as Bearer. */
export function requireToken(tokens: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const { authorization } = request.headers;
    if (!authorize(authorization, tokens)) throw unauthorized(tokens, 'Bearer', authorization);
    next();
  };
}

/** For pages: no token if the server listens on loopback only, else one as Bearer, or as the password of Basic. */
export function requireReader(open: boolean, tokens: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!open && !authorizeReader(request.headers.authorization, tokens)) {
      throw unauthorized(
        tokens,
        'Basic realm="levelset, any user, a token as password", charset="UTF-8", Bearer',
        request.headers.authorization,
      );
    }
    next();
  };
}

function unauthorized(tokens: readonly string[], challenge: string, given: string | undefined): HttpError {
  const message =
    tokens.length === 0
      ? 'no token is configured for this endpoint: it refuses everybody'
      : given === undefined
        ? 'no token (a kube-apiserver sends the token of a kubeconfig over HTTPS only)'
        : 'no valid token';
  return new HttpError(401, message, { headers: { 'WWW-Authenticate': challenge } });
}

export interface Tokens {
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  readonly pageTokens: readonly string[];
}

/** Bearer tokens from the environment, several separated by commas for rotation. Without a token an endpoint refuses everybody. */
export function readTokens(env: NodeJS.ProcessEnv): Tokens {
  const read = (name: string): readonly string[] =>
    (env[name] ?? '')
      .split(',')
      .map((token) => token.trim())
      .filter((token) => token !== '');
  return {
    auditTokens: read('LEVELSET_AUDIT_TOKENS'),
    resyncTokens: read('LEVELSET_RESYNC_TOKENS'),
    pageTokens: read('LEVELSET_PAGE_TOKENS'),
  };
}
