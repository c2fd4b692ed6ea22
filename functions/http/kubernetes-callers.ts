import { createHash } from 'node:crypto';
import type { Caller, Patched, Reviews } from '../../shared/kube/reviews.ts';
import { within } from '../../shared/deadline.ts';
import { Answers } from '../../shared/memory/answers.ts';
import { asReconcileError } from '../../shared/model/errors.ts';
import { asNodeKey, asServiceKey, type Key } from '../../shared/model/request.ts';
import { HttpError } from './http-error.ts';

/** For so long an answer of the apiserver counts: a right that was taken away ends then. */
const KEEP_MS = 10_000;
/** More callers or objects at once are refused, and so are strangers who try tokens. */
const MOST_AT_ONCE = 20;
const MOST_KEPT = 1_000;
const LONGEST_MS = 5_000;
/** A token of a ServiceAccount has about 1 kB. */
const LONGEST_TOKEN = 8_192;
/** After an answer that levelset may not ask, nobody is asked. */
const FORBIDDEN_MS = 60_000;

/**
 * Callers whom the kube-apiserver knows by their tokens, and what they may patch. The apiserver is asked little: each answer
 * counts for seconds, and few are asked for at once.
 */
export class KubernetesCallers {
  readonly #reviews: Reviews;
  readonly #answers = new Answers(MOST_KEPT);
  readonly #clock = { now: () => performance.now() };
  #asking = 0;
  #forbiddenUntilMs = -Infinity;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
  }

  /** Undefined: nobody, or levelset may not ask. Throws 503 when the apiserver cannot be asked now. */
  async callerOf(authorization: string | undefined): Promise<Caller | undefined> {
    const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined || token.length > LONGEST_TOKEN) return undefined;
    if (this.#clock.now() < this.#forbiddenUntilMs) return undefined;
    const name = createHash('sha256').update(token).digest('base64');
    return this.#read(`caller ${name}`, () => this.#reviews.callerOf(token));
  }

  /** The keys that the caller may not have worked on. Throws 503 when the apiserver cannot be asked now. */
  async refusedOf(caller: Caller, keys: readonly Key[]): Promise<readonly Key[]> {
    const refused: Key[] = [];
    for (const key of keys) if (!(await this.#mayHave(caller, key))) refused.push(key);
    return refused;
  }

  async #mayHave(caller: Caller, key: Key): Promise<boolean> {
    const user = createHash('sha256').update(JSON.stringify(caller)).digest('base64');
    const answer = await this.#read(`${key} for ${user}`, () =>
      this.#reviews.mayPatch(caller, patchedBy(key)),
    );
    return answer === true;
  }

  async #read<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#answers.read(what, { keepMs: KEEP_MS, clock: this.#clock }, () => this.#ask(ask));
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

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#asking >= MOST_AT_ONCE) throw busy('too many callers are asked about at once');
    this.#asking += 1;
    try {
      return await within(LONGEST_MS, ask);
    } finally {
      this.#asking -= 1;
    }
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
