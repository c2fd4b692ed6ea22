import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { errorText } from '../../model/errors.ts';
import type { Report } from '../../model/outcome.ts';
import type { Log } from '../../ports.ts';
import { Silence } from '../../silence.ts';
import type { Owner } from './layout.ts';
import { Session } from './session.ts';

export interface LifelineOptions {
  readonly connect: () => Promise<NatsConnection>;
  readonly owner: () => Promise<Owner>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly work: (message: JsMsg) => void;
  readonly due: (message: JsMsg) => void;
  /** A run of another process, with the place of its message. */
  readonly told: (place: number, report: Report) => void;
  readonly back: () => void;
  readonly away: (error: Error) => void;
  /** Nothing new is sent until `back`. What is under way goes on. */
  readonly rest: () => void;
  /** What is under way to JetStream when this process stops. */
  readonly handOver: () => Promise<void>;
}

const AGAIN = { firstMs: 1_000, longestMs: 15_000 };
/** Who stops waits no longer for a connection that is just being made. */
const LAST_MS = 5_000;

/** Keeps a session with NATS: whatever ends it, another one follows, and the streams are checked anew. */
export class Lifeline {
  readonly #options: LifelineOptions;
  readonly #silence = new Silence();
  readonly #stopping = new AbortController();
  #session: Session | undefined;
  /** Why there is no connection. */
  #away: string | undefined = 'NATS: not connected yet';
  /** What JetStream refused last, while that has its rest. */
  #refused: string | undefined;
  #rest: NodeJS.Timeout | undefined;
  #living: Promise<void> | undefined;

  constructor(options: LifelineOptions) {
    this.#options = options;
  }

  start(): void {
    this.#living ??= this.#live();
  }

  /** Ends the deliveries, hands over what is under way, and closes the connection. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.endDeliveries();
    await (this.#session ? this.#living : Promise.race([this.#living, sleep(LAST_MS)]));
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Why there is no session, or none that works. */
  get trouble(): string | undefined {
    return this.#away ?? this.#refused;
  }

  /** The session. Throws while there is none, or it is disconnected. */
  get session(): Session {
    if (!this.#session || this.#away !== undefined) throw new Error(this.#away ?? 'NATS: no connection');
    return this.#session;
  }

  /**
   * A call failed. What is new rests for a moment, longer after each failure in a row; runs go on, and what they leave to do is
   * still queued where JetStream takes it.
   */
  stumble(error: unknown): void {
    this.#options.rest();
    if (this.#rest) return;
    let restMs = AGAIN.firstMs;
    if (this.#away === undefined) {
      const reason = errorText(error);
      this.#options.log.warn('the queue refused a key, or did not answer', { reason });
      this.#refused = `NATS: ${reason}`;
      restMs = this.#silence.begin(AGAIN);
    }
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      if (this.#session && this.#away === undefined) this.#comeBack();
    }, restMs).unref();
  }

  /** A call succeeded: the next failure is the first one again. */
  worked(): void {
    this.#silence.end();
  }

  async #live(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.#serve();
      } catch (error) {
        this.#goAway(errorText(error));
      }
      const { signal } = this.#stopping;
      await sleep(this.#silence.begin(AGAIN), undefined, { signal }).catch(() => undefined); // stopped
    }
  }

  async #serve(): Promise<void> {
    const { owner, connect, told, work, due, handOver } = this.#options;
    const its = await owner();
    const connection = await connect();
    try {
      const session = await Session.open(connection, its, this.#options.log);
      if (this.#stopping.signal.aborted) return;
      this.#session = session;
      session.listen(told);
      this.#silence.end();
      this.#comeBack();
      await Promise.race([session.deliver({ work, due }), this.#watch(connection)]);
      if (this.isStopped) await handOver();
      else this.#goAway('a consumer is gone');
    } catch (error) {
      this.#goAway(errorText(error));
    } finally {
      this.#session = undefined;
      this.#options.away(new Error('NATS: no connection')); // at once: closing may take a while
      await connection.close();
    }
  }

  /** Follows the connection, which the client makes again by itself, until it is closed for good. */
  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#goAway('the connection is lost');
      else if (type === 'reconnect' && this.#session?.connection === connection) this.#comeBack();
    }
    const error = await connection.closed();
    if (error) throw error;
  }

  #goAway(reason: string): void {
    const trouble = `NATS: ${reason}`;
    if (this.#away !== trouble) this.#options.log.warn('the queue is away', { reason });
    this.#away = trouble;
    this.#options.away(new Error(trouble));
  }

  #comeBack(): void {
    if (this.trouble !== undefined) this.#options.log.info('the queue answers');
    this.#away = undefined;
    this.#refused = undefined;
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#options.back();
  }
}
