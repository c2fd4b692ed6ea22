import type { JsMsg } from '@nats-io/jetstream';
import type { QueuedWork } from '../queued-work.ts';
import { ACK_WAIT_MS } from './layout.ts';

/** When any process looks after a key whose run this one has, which may be dead by then. */
export const LOOK_MS = 60_000;

export interface HoldOptions {
  /** How long it lasts at most. It has no end without it. */
  readonly mostMs?: number | undefined;
  /**
   * Has any process look after the key later, since this one may die. Resolves to the place of that message. `instead`: rejects where
   * something else than the message at this place is scheduled for the key.
   */
  readonly keep: (work: QueuedWork, instead?: number) => Promise<number>;
  /** Takes that back. */
  readonly release: (place: number) => Promise<void>;
}

/**
 * The hold of a run on its partition, which hands out no other message meanwhile. A run that takes long goes on without it: what
 * hangs in one cluster holds up no other for longer.
 */
export class Hold {
  readonly #message: JsMsg;
  readonly #work: QueuedWork;
  readonly #options: HoldOptions;
  #alive: NodeJS.Timeout;
  readonly #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> = Promise.resolve();
  #place: number | undefined;
  #following: QueuedWork | undefined;
  #keepsOn = false;

  constructor(message: JsMsg, work: QueuedWork, options: HoldOptions) {
    this.#message = message;
    this.#work = work;
    this.#options = options;
    this.#alive = setInterval(() => {
      message.working();
    }, ACK_WAIT_MS / 3);
    if (options.mostMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#keeping = this.#leave();
    }, options.mostMs).unref();
  }

  /** The run goes on, and the partition hands out others. */
  get isLeft(): boolean {
    return this.#place !== undefined && !this.#keepsOn;
  }

  /** That of the message by which any process would look after the key; undefined while the run has its partition. */
  get place(): number | undefined {
    return this.#place;
  }

  /** What came for the key after the run had left. It is to run next, and whatever that run wants later with it. */
  get following(): QueuedWork | undefined {
    return this.#following;
  }

  /** Resolves when whoever looks after the key later has this work. */
  async follow(work: QueuedWork): Promise<void> {
    const kept = this.#keeping.then(async () => {
      await this.#keep(work);
      this.#following = work;
    });
    this.#keeping = kept.catch(() => undefined); // it is handed out again
    await kept;
  }

  /** Nobody looks after the key while the run goes on, or a run longer than that would have another one beside it, and so on. */
  #keepAgain(): void {
    const again = (): Promise<void> => this.#keep(this.#following ?? this.#work, this.#place);
    this.#keeping = this.#keeping.then(again).catch(() => undefined); // NATS is away, or another process has scheduled the key
  }

  /** Resolves when the run no longer leaves, and nothing follows it any more: what it has to do later can be queued. */
  async keepOn(): Promise<void> {
    this.#keepsOn = true;
    clearTimeout(this.#timer);
    if (this.#place !== undefined) clearInterval(this.#alive);
    await this.#keeping;
  }

  /** The message is done. */
  async end(): Promise<void> {
    if (this.#place === undefined) await this.#message.ackAck();
    else await this.#options.release(this.#place);
  }

  /** Says no more that somebody is at work: unless it is done, the message is handed out again. */
  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#alive);
  }

  async #leave(): Promise<void> {
    try {
      await this.#keep(this.#work);
    } catch {
      return; // NATS is away: nothing else is handed out either
    }
    clearInterval(this.#alive);
    if (!this.#keepsOn)
      this.#alive = setInterval(() => {
        this.#keepAgain();
      }, LOOK_MS / 3);
    this.#message.ack();
  }

  async #keep(work: QueuedWork, instead?: number): Promise<void> {
    this.#place = await this.#options.keep(work, instead);
  }
}
