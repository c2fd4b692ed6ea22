import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose';
import { countdown } from '../../shared/deadline.ts';
import type { KubeHttp } from '../../shared/kube/kube-http.ts';
import { fieldsOf } from '../../shared/model/json.ts';
import type { VerifySender } from '../http/admit.ts';

interface SenderTokensOptions {
  /** To the kube-apiserver, whose tokens these are. */
  readonly http: KubeHttp;
  /** That of `spec.sink.audience` of the sources. */
  readonly audience: string;
  /** NAMESPACE/NAME of ServiceAccounts, or NAMESPACE/* for all of a namespace. */
  readonly senders: readonly string[];
}

/** Where every kube-apiserver serves its keys itself, wherever its issuer says that they are. */
const KEYS = '/openid/v1/jwks';
/** A kube-apiserver answers 406 to a request for plain JSON here. */
const KEYS_TYPE = 'application/jwk-set+json';
const DISCOVERY = '/.well-known/openid-configuration';
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'];
/** Clocks of nodes differ. */
const CLOCK_TOLERANCE_S = 30;
/** Keys are read again after this time, and for a token with an unknown key this long after the last read. */
const KEEP_MS = 600_000;
const READ_AGAIN_MS = 30_000;
const READ_MS = 5_000;

/** Verifies ServiceAccount tokens for this audience, as Knative's sources send them. Throws ReconcileError if the keys cannot be read. */
export function verifySenderTokens({ http, audience, senders }: SenderTokensOptions): VerifySender {
  let issuer: unknown;
  const read = async (): Promise<Response> => {
    const leftMs = countdown(READ_MS);
    const [discovered, keys] = await Promise.all([
      http({ method: 'GET', path: DISCOVERY, doing: `read ${DISCOVERY}`, leftMs }),
      http({ method: 'GET', path: KEYS, accept: KEYS_TYPE, doing: `read ${KEYS}`, leftMs }),
    ]);
    issuer = fieldsOf(discovered.body)['issuer'];
    return Response.json(keys.body);
  };
  const keys = createRemoteJWKSet(new URL(KEYS, 'https://kube-apiserver'), {
    [customFetch]: read,
    cacheMaxAge: KEEP_MS,
    cooldownDuration: READ_AGAIN_MS,
  });
  return async (token) => {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        audience,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp', 'sub'],
      }));
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) return error.message;
      throw error;
    }
    if (payload.iss !== issuer) return 'its issuer is not the cluster';
    return mayBe(payload.sub ?? '', senders)
      ? undefined
      : `it is that of ${payload.sub}, which --events-senders does not have`;
  };
}

function mayBe(subject: string, senders: readonly string[]): boolean {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subject) ?? [];
  if (namespace === undefined || name === undefined) return false;
  return senders.includes(`${namespace}/${name}`) || senders.includes(`${namespace}/*`);
}
