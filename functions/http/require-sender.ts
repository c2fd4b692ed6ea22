import { authorize } from '../../shared/trigger/authorize.ts';
import { requireToken, type Admission } from './admit.ts';
import { HttpError } from './http-error.ts';

/** Undefined: the token is one that was asked for. Else why it is not, without any part of it. */
export type VerifySender = (token: string) => Promise<string | undefined>;

const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;

/** 401 unless the request has one of the tokens as Bearer, or a token that is verified; 503 while that is impossible. */
export function requireSender(tokens: readonly string[], verify: VerifySender): Admission {
  const byToken = requireToken(tokens);
  return async (request) => {
    const { authorization } = request.headers;
    const [, token] = JWT.exec(authorization ?? '') ?? [];
    if (token === undefined || authorize(authorization, tokens)) return byToken(request);
    try {
      const wrong = await verify(token);
      if (wrong === undefined) return undefined;
      const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
      return new HttpError(401, `no valid OIDC token: ${wrong}`, { headers });
    } catch (cause) {
      const message = 'the keys of the cluster cannot be read, so no OIDC token is verified: send it again';
      return new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
    }
  };
}
