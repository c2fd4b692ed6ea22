import type { JsMsg } from '@nats-io/jetstream';
import { ACK_WAIT_MS } from './layout.ts';

export interface HoldOptions {
  /** How long it lasts at most. It has no end without it. */
  readonly mostMs?: number | undefined;
  /** Has any process look after the key later, since this one may die. Resolves to the place of that message. */
  readonly keep: () => Promise<number>;
  /** Takes that back. */
  readonly release: (place: number) => Promise<void>;
}

/**
 * The hold of a run on its partition, which hands out no other message meanwhile. A run that takes long goes on without it: what
 * hangs in one cluster holds up no other for longer.
 */
export class Hold {
  readonly #message: JsMsg;
  readonly #options: HoldOptions;
  readonly #alive: NodeJS.Timeout;
  readonly #timer: NodeJS.Timeout | undefined;
  #leaving: Promise<void> | undefined;
  #place: number | undefined;

  constructor(message: JsMsg, options: HoldOptions) {
    this.#message = message;
    this.#options = options;
    this.#alive = setInterval(() => {
      message.working();
    }, ACK_WAIT_MS / 3);
    if (options.mostMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#leaving = this.#leave();
    }, options.mostMs).unref();
  }

  /** The run goes on, and the partition hands out others. */
  get isLeft(): boolean {
    return this.#place !== undefined;
  }

  /** Resolves when the run no longer leaves: what it has to do later can be queued. */
  async keepOn(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#leaving;
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
      this.#place = await this.#options.keep();
    } catch {
      return; // NATS is away: nothing else is handed out either
    }
    clearInterval(this.#alive);
    this.#message.ack();
  }
}
