import { createHash } from 'node:crypto';
import type { Caller, Patched, Reviews } from '../../shared/kube/reviews.ts';
import { countdown } from '../../shared/deadline.ts';
import { Answers } from '../../shared/memory/answers.ts';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { asReconcileError } from '../../shared/model/errors.ts';
import { asNodeKey, asServiceKey, type Key } from '../../shared/model/request.ts';
import { HttpError } from './http-error.ts';

/** For so long an answer of the apiserver counts: a right that was taken away ends then. */
const KEEP_MS = 10_000;
/** More questions at once about callers that were known before, and about their rights, are refused. */
const MOST_AT_ONCE = 20;
/** The same for tokens that nobody has shown before: so strangers who guess keep no place of those who are known. */
const MOST_STRANGERS = 8;
const MOST_KEPT = 1_000;
/** The time for all objects of one request. */
const ALL_OBJECTS_MS = 10_000;
/** After so many refusals the others are not asked about. */
const MOST_REFUSED = 5;
/** What a bearer token may consist of (RFC 6750, 2.1): of anything more the apiserver would trim, and then see another token. */
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
/** A token of a ServiceAccount has about 1 kB. */
const LONGEST_TOKEN = 8_192;
/** After an answer that levelset may not ask, nobody is asked. */
const FORBIDDEN_MS = 60_000;

/** What endpoints ask of it. */
export type Callers = Pick<KubernetesCallers, 'callerOf' | 'refusedOf'>;

/**
 * Callers whom the kube-apiserver knows by their tokens, and what they may patch. The apiserver is asked little: each answer
 * counts for seconds, and few are asked for at once.
 */
export class KubernetesCallers {
  readonly #reviews: Reviews;
  readonly #callers = new Answers(MOST_KEPT);
  readonly #rights = new Answers(MOST_KEPT);
  readonly #aboutStrangers: Questions = { most: MOST_STRANGERS, underWay: 0 };
  readonly #aboutKnown: Questions = { most: MOST_AT_ONCE, underWay: 0 };
  /** The hashes of tokens whose owner the apiserver knew once. */
  readonly #known = new BoundedMap<string, true>(MOST_KEPT);
  readonly #clock: { now(): number };
  #forbiddenUntilMs = -Infinity;

  /** `now` has to go on while the process is frozen, where it may be: milliseconds, since whenever. */
  constructor(reviews: Reviews, now: () => number = () => performance.now()) {
    this.#reviews = reviews;
    this.#clock = { now };
  }

  /** Undefined: nobody, or levelset may not ask. Throws 503 when the apiserver cannot be asked now. */
  async callerOf(authorization: string | undefined): Promise<Caller | undefined> {
    const token = tokenIn(authorization);
    if (token === undefined || this.#clock.now() < this.#forbiddenUntilMs) return undefined;
    const name = nameOf(token);
    const questions = this.#known.has(name) ? this.#aboutKnown : this.#aboutStrangers;
    const caller = await this.#read(this.#callers, name, questions, () => this.#reviews.callerOf(token));
    if (caller) this.#known.set(name, true);
    return caller;
  }

  /** The first five keys that the caller may not have worked on. Throws 503 when the apiserver cannot be asked now. */
  async refusedOf(caller: Caller, keys: readonly Key[]): Promise<readonly Key[]> {
    const refused: Key[] = [];
    try {
      const leftMs = countdown(ALL_OBJECTS_MS);
      for (const key of keys) {
        if (leftMs() === 0) throw busy('the kube-apiserver takes too long to say who may do this');
        if (!(await this.#mayHave(caller, key))) refused.push(key);
        if (refused.length === MOST_REFUSED) break;
      }
    } catch (error) {
      if (refused.length === 0) throw error;
    }
    return refused;
  }

  async #mayHave(caller: Caller, key: Key): Promise<boolean> {
    const user = createHash('sha256').update(JSON.stringify(caller)).digest('base64');
    const answer = await this.#read(this.#rights, `${key} for ${user}`, this.#aboutKnown, () =>
      this.#reviews.mayPatch(caller, patchedBy(key)),
    );
    return answer === true;
  }

  async #read<T>(
    answers: Answers,
    what: string,
    questions: Questions,
    ask: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const lifetime = { keepMs: KEEP_MS, clock: this.#clock };
      return await answers.read(what, lifetime, () => askOneOf(questions, ask));
    } catch (cause) {
      if (cause instanceof HttpError) throw cause;
      const error = asReconcileError(cause);
      if (error.context.status === 403) {
        this.#forbiddenUntilMs = this.#clock.now() + FORBIDDEN_MS;
        return undefined;
      }
      throw busy('the kube-apiserver, which knows who may do this, does not answer', cause);
    }
  }
}

function tokenIn(authorization = ''): string | undefined {
  const token = BEARER.exec(authorization)?.[1];
  return token !== undefined && token.length <= LONGEST_TOKEN ? token : undefined;
}

function nameOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

interface Questions {
  readonly most: number;
  underWay: number;
}

async function askOneOf<T>(questions: Questions, ask: () => Promise<T>): Promise<T> {
  if (questions.underWay >= questions.most) throw busy('too many callers are asked about at once');
  questions.underWay += 1;
  try {
    return await ask();
  } finally {
    questions.underWay -= 1;
  }
}

/** The routes are those of all Nodes, and `all` is all Services. */
function patchedBy(key: Key): Patched {
  const service = asServiceKey(key);
  if (service) return { resource: 'services', ...service };
  const node = asNodeKey(key);
  if (node !== undefined) return { resource: 'nodes', name: node };
  return { resource: key === 'routes' ? 'nodes' : 'services' };
}

function busy(message: string, cause?: unknown): HttpError {
  return new HttpError(503, message, { headers: { 'Retry-After': '5' }, cause });
}
