import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../shared/model/errors.ts';
import type { Key } from '../../shared/model/request.ts';
import type { Log } from '../../shared/ports.ts';
import { Silence } from '../../shared/silence.ts';
import type { Post } from './post-keys.ts';
import { NotTaken } from './post-keys.ts';

export interface OutboxOptions {
  readonly post: Post;
  readonly log: Log;
  /** Called with the number of keys that were posted, or that a request for a sweep took the place of. */
  readonly observe?: (result: 'posted' | 'dropped', keys: number) => void;
}

/** More keys are the work of a sweep. */
const MOST_KEYS = 10_000;
/** On Lambda each ten keys are a call of SQS, and all of them must fit into one invocation. */
const BATCH = 100;
/** What changes together is posted together. */
const GATHER_MS = 50;
const RETRY = { firstMs: 1_000, longestMs: 30_000 };
/** A post that fails after SIGTERM is tried again for so long. */
const LAST_POSTS_MS = 10_000;

/**
 * The keys that the receiver has not taken yet, each once. They are posted in batches, one at a time, again and again until
 * they are taken. When there are too many, a sweep is asked for in their place.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #silence = new Silence();
  readonly #stop = new AbortController();
  #waiting = new Set<Key>();
  #trouble: string | undefined;
  #running: Promise<void> | undefined;
  #endsAt = Infinity;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  add(keys: readonly Key[]): void {
    for (const key of keys) this.#waiting.add(key);
    if (this.#waiting.size > MOST_KEYS) this.#dropAll();
    if (this.#waiting.size > 0) this.#running ??= this.#send();
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Why keys are not taken. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Posts what waits, for some seconds. What is left then, the next sweep finds. */
  async stop(): Promise<void> {
    this.#endsAt = performance.now() + LAST_POSTS_MS;
    this.#stop.abort();
    await this.#running;
    if (this.size > 0)
      this.#options.log.warn('ended with keys that were not taken: the next sweep finds them', {
        keys: this.size,
        reason: this.#trouble,
      });
  }

  async #send(): Promise<void> {
    await this.#pause(GATHER_MS);
    while (this.#waiting.size > 0 && performance.now() < this.#endsAt) {
      const batch = [...this.#waiting].slice(0, BATCH);
      for (const key of batch) this.#waiting.delete(key);
      try {
        await this.#options.post(batch, Math.min(LAST_POSTS_MS, this.#endsAt - performance.now()));
        this.#taken(batch.length);
      } catch (error) {
        for (const key of batch) this.#waiting.add(key);
        await this.#failed(error);
      }
    }
    this.#running = undefined;
  }

  #taken(keys: number): void {
    if (this.#trouble !== undefined) this.#options.log.info('the receiver takes keys again');
    this.#trouble = undefined;
    this.#silence.end();
    this.#options.observe?.('posted', keys);
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#trouble === undefined)
      this.#options.log.warn('the receiver takes no keys', { reason: errorText(error) });
    this.#trouble = errorText(error);
    const asked = error instanceof NotTaken ? error.retryAfterMs : 0;
    await this.#pause(Math.max(asked, this.#silence.begin(RETRY, 0.5 + Math.random() / 2)));
  }

  #dropAll(): void {
    this.#options.log.warn('too many keys wait: the receiver is asked for a sweep in their place', {
      keys: this.#waiting.size,
    });
    this.#options.observe?.('dropped', this.#waiting.size);
    this.#waiting = new Set(['all']);
  }

  /** While it ends, a pause is short, and not skipped: the receiver may be busy for a moment. */
  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) await sleep(Math.min(ms, 1_000));
    else await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
