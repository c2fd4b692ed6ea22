import type { OpenStackConfig, Credentials } from '../config/config.ts';
import { ReconcileError, asReconcileError } from '../model/errors.ts';
import { readAccessRules, type AccessRule, readCatalog, type CatalogEndpoint } from './catalog.ts';
import { refusal, unexpected, unreachable } from './refusal.ts';
import type { OpenStackHttp, HttpAnswer } from './openstack-http.ts';
import { isRecord, stringAt } from '../model/json.ts';
import { redact } from '../model/text/text.ts';
import { Answers } from '../memory/answers.ts';
import { NO_RUN, type RunContext } from '../deadline.ts';
import { Backoff, type Delays } from '../connection-backoff.ts';
import { isDeepStrictEqual } from 'node:util';

export interface Token {
  readonly value: string;
  readonly projectId: string;
  readonly catalog: readonly CatalogEndpoint[];
  readonly accessRules?: readonly AccessRule[];
  /** When to ask for a new one, by this process's monotonic clock. */
  readonly renewAt: number;
}

export interface Keystone {
  /** The token that all calls share. Callers wait for one that was asked for already, as long as their run has patience. */
  token(run?: RunContext): Promise<Token>;
  /** A token other than the refused one; the refused one itself, where another one came less than a minute ago. */
  renew(refused: Token, run?: RunContext): Promise<Token>;
}

const LONGEST_MARGIN_MS = 5 * 60_000;
const ATTEMPTED = 'get a token from Keystone';

/** How often a service that refuses a token gets a new one. After that its 401 counts. */
const RENEW_EVERY_MS = 60_000;

interface KeystoneOptions {
  readonly config: OpenStackConfig;
  readonly http: OpenStackHttp;
  readonly now: () => number;
  readonly loginRefused?: (credentials: Credentials) => void;
}

export function createKeystone({ config, http, now, loginRefused }: KeystoneOptions): Keystone {
  const logins = new Answers(1);
  const refusals = new LoginRefusals(now);
  let current: Token | undefined;
  let renewedAt = -Infinity;

  async function request(): Promise<Token> {
    try {
      current = await requestToken(config, http, now);
      return current;
    } catch (error) {
      if (error instanceof ReconcileError && error.code === 'UNAUTHORIZED')
        loginRefused?.(config.credentials);
      throw error;
    }
  }

  const login = (run = NO_RUN): Promise<Token> =>
    logins
      .during(run)
      .read('a token of Keystone', { keepMs: 0, clock: { now } }, () => refusals.guard(request));

  return {
    async token(run) {
      return current !== undefined && now() < current.renewAt ? current : login(run);
    },
    async renew(refused, run) {
      if (current !== undefined && current.value !== refused.value) return current;
      if (now() - renewedAt < RENEW_EVERY_MS) return refused;
      const renewed = await login(run);
      renewedAt = now();
      return renewed;
    },
  };
}

async function requestToken(config: OpenStackConfig, http: OpenStackHttp, now: () => number): Promise<Token> {
  const url = `${config.authUrl.replace(/(\/v3)?\/*$/, '')}/v3/auth/tokens`;
  const asked = now();
  const body = authBody(config.credentials);
  const answer = await http({ service: 'identity', method: 'POST', url, body }).catch((error: unknown) => {
    throw unreachable(`${ATTEMPTED} at ${new URL(config.authUrl).origin}`, error);
  });
  if (answer.status !== 201 && answer.status !== 200) throw refused(answer, config);
  return readToken(answer, asked);
}

/** Reads a token. Its lifetime starts by our own clock, since Keystone's may differ. */
function readToken(answer: HttpAnswer, asked: number): Token {
  const token = isRecord(answer.body) ? answer.body['token'] : undefined;
  const value = answer.subjectToken;
  const lifetime =
    Date.parse(stringAt(token, 'expires_at') ?? '') - Date.parse(stringAt(token, 'issued_at') ?? '');
  if (!isRecord(token) || value === undefined) throw unexpected(ATTEMPTED, answer, 'token');
  if (Number.isNaN(lifetime)) throw unexpected(ATTEMPTED, answer, 'expires_at and issued_at');
  const projectId = stringAt(token['project'], 'id');
  if (projectId === undefined)
    throw unexpected(ATTEMPTED, answer, 'project: the credentials have no project scope');
  const margin = Math.min(lifetime / 10, LONGEST_MARGIN_MS);
  const accessRules = readAccessRules(token);
  return {
    ...{ value, projectId, catalog: readCatalog(token['catalog']), renewAt: asked + lifetime - margin },
    ...(accessRules && { accessRules }),
  };
}

/** The error for a refused token, without the secret: Keystone repeats parts of a malformed request. */
function refused(answer: HttpAnswer, config: OpenStackConfig): ReconcileError {
  const { credentials } = config;
  const secrets = [credentials.type === 'password' ? credentials.password : credentials.secret];
  const masked: unknown = JSON.parse(JSON.stringify(answer), (_key, value: unknown) =>
    typeof value === 'string' ? redact(value, secrets) : value,
  );
  const error = refusal(ATTEMPTED, masked as HttpAnswer); // which shortens texts, and a part of a secret is not found
  const noKeystone = answer.status === 400 && !isRecord(answer.body);
  const noSuchPath = answer.status === 405 || Math.floor(answer.status / 100) === 3;
  if (answer.status === 404 || noKeystone || noSuchPath) {
    // Keystone answers 404 to an application credential that it does not know, too
    const credential =
      answer.status === 404 && config.credentials.type === 'application-credential'
        ? ', and does it have this application credential'
        : '';
    const text = `${error.message}; is auth-url ${config.authUrl} the address of Keystone${credential}?`;
    return new ReconcileError('CONFIG_INVALID', text, error.context);
  }
  return new ReconcileError(
    error.code === 'REJECTED' ? 'CONFIG_INVALID' : error.code,
    error.message,
    error.context,
  );
}

/** The body of POST /v3/auth/tokens (Identity API v3, "Password" and "Application credential" authentication). */
function authBody(credentials: Credentials): unknown {
  if (credentials.type === 'password') {
    const user = { ...credentials.user, password: credentials.password };
    return {
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: credentials.project },
      },
    };
  }
  const { id, name, user, secret } = credentials;
  // An id needs no user. The scope must not be sent: it is that of the application credential.
  const named = id === undefined ? { name, user } : { id };
  return {
    auth: {
      identity: { methods: ['application_credential'], application_credential: { ...named, secret } },
    },
  };
}

/** Whoever refuses a login counts it, and some lock the account after five of them. */
const OF_REFUSAL: Delays = { firstMs: 60_000, longestMs: 5 * 60_000 };
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };

/**
 * A failed login is the answer for everybody until the next try is due: after 1, 2, ... 5 minutes where it was
 * refused, 1, 2, ... 30 s where nobody answered.
 */
class LoginRefusals {
  readonly #backoff: Backoff;
  #failure: ReconcileError | undefined;

  constructor(now: () => number) {
    this.#backoff = new Backoff(now);
  }

  async guard<T>(login: () => Promise<T>): Promise<T> {
    if (this.#failure && !this.#backoff.isOver) throw this.#failure;
    try {
      const done = await login();
      this.#forget();
      return done;
    } catch (error) {
      const failed = asReconcileError(error);
      if (this.#failure?.code !== failed.code) this.#forget();
      this.#failure = failed;
      this.#backoff.begin(isRefusal(failed) ? OF_REFUSAL : OF_NO_ANSWER);
      throw failed;
    }
  }

  #forget(): void {
    this.#failure = undefined;
    this.#backoff.end();
  }
}

/** Whether only an operator can mend it. */
function isRefusal({ disposition }: ReconcileError): boolean {
  return disposition === 'operator';
}

/** How often the files are read for other credentials while a login is refused. */
const READ_EVERY_MS = 10_000;

interface FollowCredentialsOptions {
  readonly credentials: Credentials;
  readonly readCredentials: () => Promise<Credentials | undefined>;
  readonly keystoneOf: (credentials: Credentials) => Keystone;
  readonly now: () => number;
}

/** The login with the credentials that their files have. Other ones that came while a login is refused are another login, tried at once. */
export function followCredentials({
  readCredentials,
  keystoneOf,
  now,
  ...first
}: FollowCredentialsOptions): Keystone {
  const readings = new Answers(1);
  let { credentials } = first;
  let keystone = keystoneOf(credentials);

  async function readAgain(): Promise<void> {
    const found = await readCredentials();
    if (found === undefined || isDeepStrictEqual(found, credentials)) return;
    credentials = found;
    keystone = keystoneOf(found);
  }

  async function ask<T>(call: (its: Keystone) => Promise<T>): Promise<T> {
    const asked = keystone;
    try {
      return await call(asked);
    } catch (error) {
      if (!isRefusal(asReconcileError(error))) throw error;
      await readings.read('credentials', { keepMs: READ_EVERY_MS, clock: { now } }, readAgain);
      if (keystone === asked) throw error;
      return call(keystone);
    }
  }

  return {
    token: (run) => ask((its) => its.token(run)),
    renew: (refused, run) => ask((its) => its.renew(refused, run)),
  };
}
