import type { RequestListener } from 'node:http';
import express from 'express';
import type { Log } from '../../shared/ports.ts';
import { answerErrors } from '../http/on-express.ts';
import { HttpError } from '../http/http-error.ts';
import { probes, type ProbeOptions } from '../status.ts';

/** What a process does while it leads. */
export interface Led {
  readonly handler: RequestListener;
  readonly idle: boolean;
  /** Begins nothing any more, and resolves when what is under way has ended. */
  stop(): Promise<void>;
}

const AGAIN_S = 2;

/** Answers requests by what leads, or as one that follows, and changes from one to the other. */
export class WhileLeading {
  readonly #lead: () => Promise<Led>;
  readonly #follower: RequestListener;
  readonly #log: Log;
  #led: Led | undefined;
  /** The changes, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(lead: () => Promise<Led>, follower: RequestListener, log: Log) {
    this.#lead = lead;
    this.#follower = follower;
    this.#log = log;
  }

  readonly handler: RequestListener = (request, response) => {
    (this.#led?.handler ?? this.#follower)(request, response);
  };

  get idle(): boolean {
    return this.#led?.idle ?? false;
  }

  /** Resolves when the process does what one does that leads, or that does not. */
  change(leads: boolean): Promise<void> {
    this.#turn = this.#turn
      .then(async () => {
        if (leads) this.#led ??= await this.#lead();
        else {
          const led = this.#led;
          this.#led = undefined;
          await led?.stop();
        }
      })
      .catch((error: unknown) => {
        this.#log.error(leads ? 'the work cannot begin' : 'the work cannot end', { reason: String(error) });
      });
    return this.#turn;
  }
}

/** The endpoints of a process that follows: it is alive and ready, and says who leads; another one answers all else. */
export function followerServer(
  options: ProbeOptions & { readonly leader: () => string; readonly log: Log },
): RequestListener {
  const { leader, log } = options;
  const app = express().disable('x-powered-by').disable('etag');
  app.use(probes({ ...options, notes: () => [`follows: ${leader()} leads`] }));
  app.use(() => {
    const message = `this process follows, and ${leader()} leads: ask again`;
    throw new HttpError(503, message, { headers: { 'Retry-After': String(AGAIN_S) } });
  });
  return app.use(answerErrors(log));
}
