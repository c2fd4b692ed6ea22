import type { Log } from '../../shared/ports.ts';
import { randomBytes } from 'node:crypto';
import { tokensBy, tokensIn, type Tokens } from '../../shared/config/tokens.ts';
import { authorize, authorizeReader } from '../../shared/trigger/authorize.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key, ReconcileRequest, TriggerCounts } from '../../shared/model/request.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { ObjectView } from '../../shared/report/page/object-view.ts';
import { type ReceivedRequest, HttpError } from './exchange.ts';

/** Why a request is refused; undefined lets it in. Reads no body. */
export type Admission = (request: Pick<ReceivedRequest, 'method' | 'headers'>) => Refusal | Promise<Refusal>;

type Refusal = HttpError | undefined;

export async function admit(request: ReceivedRequest, admissions: readonly Admission[]): Promise<void> {
  for (const refusalOf of admissions) {
    const refusal = await refusalOf(request);
    if (refusal) throw refusal;
  }
}

/** 405 with Allow for any other method. */
export function requireMethod(...methods: readonly string[]): Admission {
  return ({ method }) => {
    if (methods.includes(method)) return undefined;
    const allow = methods.join(', ');
    return new HttpError(405, `${method} is not allowed here, only ${allow}`, { headers: { Allow: allow } });
  };
}

/** 401 unless the request has one of the tokens as Bearer. */
export function requireToken(tokens: readonly string[]): Admission {
  return ({ headers: { authorization } }) =>
    authorize(authorization, tokens) ? undefined : unauthorized(tokens, 'Bearer', authorization);
}

/** Undefined: the token is good. Else why it is not, without any part of it; empty where the caller may not learn it. */
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
      if (wrong === '') return await byToken(request);
      const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
      return new HttpError(401, `the OIDC token is not valid: ${wrong}`, { headers });
    } catch (cause) {
      const message = 'the keys of the cluster cannot be read, so no OIDC token is verified: send it again';
      return new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
    }
  };
}

/** For pages: on loopback no token, but a Host of loopback, so that another site's page reads nothing; else a token as Bearer or in Basic. */
export function requireReader(open: boolean, tokens: readonly string[]): Admission {
  return (request) => {
    const { authorization, host = '' } = request.headers;
    if (mayRead(request, open, tokens)) return undefined;
    if (open) return new HttpError(403, `the Host ${JSON.stringify(host)} is not of loopback`);
    const challenge = 'Basic realm="levelset, any user, a token as password", charset="UTF-8", Bearer';
    return unauthorized(tokens, challenge, authorization);
  };
}

/** Whether a request may see the page, and why levelset is not ready. */
export function mayRead(
  { headers: { authorization, host = '' } }: Pick<ReceivedRequest, 'headers'>,
  open: boolean,
  tokens: readonly string[],
): boolean {
  return (open && LOOPBACK_HOST.test(host)) || authorizeReader(authorization, tokens);
}

const LOOPBACK_HOST = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)(:\d+)?$/i;

function unauthorized(tokens: readonly string[], challenge: string, given: string | undefined): HttpError {
  const message =
    tokens.length === 0
      ? 'no token is configured for this endpoint: it refuses everybody'
      : given === undefined
        ? 'no token (a kube-apiserver sends the token of a kubeconfig over HTTPS only)'
        : 'no valid token';
  return new HttpError(401, message, { headers: { 'WWW-Authenticate': challenge } });
}

const TOKEN_VARIABLES = {
  auditTokens: 'LEVELSET_AUDIT_TOKENS',
  resyncTokens: 'LEVELSET_RESYNC_TOKENS',
  pageTokens: 'LEVELSET_PAGE_TOKENS',
} as const;

/** The tokens of the environment. Throws CONFIG_INVALID for a guessable token. */
export function readTokens(env: NodeJS.ProcessEnv): Tokens {
  return tokensBy((kind) => tokensIn(TOKEN_VARIABLES[kind], env[TOKEN_VARIABLES[kind]] ?? ''));
}

/** With it no list of tokens is empty, so that a cluster without tokens answers as an unknown name does. Nobody has it. */
const NOBODYS = randomBytes(32).toString('hex');

export function openTokens(entry: Tokens | undefined, deployment: Tokens): Tokens {
  return tokensBy((kind) => [...(entry?.[kind] ?? []), ...deployment[kind], NOBODYS]);
}

/** Why events are refused. Each is mended in another place. */
export type RefusalReason = 'token' | 'path' | 'body' | 'aborted' | 'queue';

export interface ServerOptions {
  /** The values of `:cluster` in /audit and /events that are accepted: --cluster-name and the id of the cluster. */
  readonly clusters: readonly string[];
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  /** For the page and the metrics, if `open` is false. */
  readonly pageTokens?: readonly string[];
  /** True on loopback: page and metrics need no token. */
  readonly open: boolean;
  readonly verifySender?: VerifySender;
  /** User names of levelset itself. Audit events about their writes are ignored. */
  readonly self: readonly string[];
  readonly enqueue: (requests: readonly ReconcileRequest[]) => Promise<void>;
  /** Runs objects dry, now. Returns the reports in the order of the requests. */
  readonly dryRun: (requests: readonly ReconcileRequest[]) => Promise<readonly Report[]>;
  readonly status: () => Promise<StatusView>;
  /** What the page of one object shows, whose key the text may be; absent: objects have no pages. Throws HttpError 404. */
  readonly object?: (key: string) => Promise<ObjectView>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** The sides that do not answer, in words. Empty: ready. */
  readonly ready: () => Promise<readonly string[]>;
  readonly observeAudit?: (counts: TriggerCounts, keys: readonly Key[]) => void;
  readonly observeRefusal?: (reason: RefusalReason) => void;
  /** What /readyz says beside `ready`, to whoever may see the page: it makes nothing unready. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>;
  readonly log: Log;
}
