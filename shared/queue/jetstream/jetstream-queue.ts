import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { Outcome, Report } from '../../model/outcome.ts';
import { isByPerson, queueKeyOf, type QueueKey, type ReconcileRequest } from '../../model/request.ts';
import type { Log } from '../../ports.ts';
import type { WaitingKeys } from '../memory-queue.ts';
import { nextWork } from '../next-work.ts';
import { readBody, type QueuedWork } from '../queued-work.ts';
import { Asked } from './asked.ts';
import { ACK_WAIT_MS } from './layout.ts';
import { Lifeline, type LifelineOptions } from './lifeline.ts';
import { Outbox } from './outbox.ts';
import type { Depth } from './session.ts';

export interface JetStreamQueueOptions extends Pick<LifelineOptions, 'connect' | 'cluster'> {
  /** Runs one key. A rejection requeues the key as a failure does. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** Keeps the keys that wait for a load balancer, while this process lives. */
  readonly waiting?: WaitingKeys;
  /** Called for every run that ended in another process. */
  readonly told?: (report: Report) => void;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** [0, 1), for the jitter. */
  readonly random?: () => number;
}

/** What the runs of a key have done so far, and the place of the message by which another process would look after it. */
interface Kept {
  readonly work: QueuedWork;
  readonly place: number;
}

const REJECTED: Outcome = { status: 'failed', code: 'UNEXPECTED_RESPONSE', message: '', retryAfterMs: 0 };
/** A message that was delivered so often and never done kills whoever works on it. */
const MOST_DELIVERIES = 10;
/** When any process looks after a key that waits for a load balancer in this one, which may be dead by then. */
const LOOK_MS = 60_000;
/** What is under way when a process stops may take so long. */
const LAST_MS = 2_000;

/**
 * The work queue of several processes, in a NATS JetStream. One run per key at a time; a key that is added while it runs runs
 * once more afterwards; a key that waits for its next try holds up no other. What a process was at work on when it died comes
 * to another one after ACK_WAIT_MS: that is a lease, so writes need a protection of their own. While NATS does not answer,
 * what is added stays in this process, and no run begins.
 */
export class JetStreamQueue {
  readonly #options: JetStreamQueueOptions;
  readonly #random: () => number;
  readonly #outbox = new Outbox((request) => this.#send(request));
  readonly #asked = new Asked();
  readonly #lifeline: Lifeline;
  readonly #running = new Map<QueueKey, Promise<void>>();
  /** The keys that wait for a load balancer here. */
  readonly #kept = new Map<QueueKey, Kept>();

  constructor(options: JetStreamQueueOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#lifeline = new Lifeline({
      ...options,
      work: (message) => {
        this.#take(message);
      },
      due: (message) => {
        this.#takeDue(message).catch((error: unknown) => {
          this.#lifeline.stumble(error); // it is delivered again
        });
      },
      told: (place, report) => {
        this.#asked.ended(place, report);
        options.told?.(report);
      },
      back: () => {
        this.#outbox.open();
      },
      away: (error) => {
        this.#outbox.close();
        this.#asked.giveUp(error);
      },
      rest: () => {
        this.#outbox.close();
      },
      handOver: () => this.#handOver(),
    });
  }

  start(): void {
    this.#lifeline.start();
  }

  /** Why nothing is queued or run. Undefined: the queue works. */
  get trouble(): string | undefined {
    return this.#lifeline.trouble;
  }

  get running(): number {
    return this.#running.size;
  }

  /**
   * Queues a key. It resolves when JetStream has it, or while that is away at once: the key then waits in this process. With a
   * delay the key takes the place of an earlier requeue of it.
   */
  async add(request: ReconcileRequest, delayMs = 0): Promise<void> {
    const isScheduled = delayMs > 0 && (await this.#schedule(request, delayMs));
    if (!isScheduled)
      await this.#outbox.put(`${isByPerson(request) ? 'asked' : 'told'} ${queueKeyOf(request)}`, request);
  }

  /** Queues a key and returns the report of a run that began after that, in whichever process. Rejects while NATS is away. */
  ask(request: ReconcileRequest): Promise<Report> {
    const work = { request, attempt: 0 };
    return this.#asked.wait(request, () => this.#lifeline.session.publish(work));
  }

  /** What all processes together have in the queue. Rejects while NATS is away. */
  async depth(): Promise<Depth> {
    const { depth, oldestMs } = await this.#lifeline.session.depth();
    return { depth: depth + this.#outbox.size, oldestMs };
  }

  /** Takes no more keys, and resolves when the running ones have ended. Whatever they leave to do stays in JetStream. */
  async stop(): Promise<void> {
    await this.#lifeline.stop();
    await Promise.all(this.#running.values());
  }

  /** Waits for what is under way to JetStream. */
  async #handOver(): Promise<void> {
    await Promise.all(this.#running.values());
    const end = performance.now() + LAST_MS;
    while (this.#outbox.size > 0 && performance.now() < end) await sleep(20);
  }

  async #send(request: ReconcileRequest): Promise<void> {
    const { key, trigger } = request;
    const kept = trigger === 'requeue' ? this.#kept.get(queueKeyOf(request)) : undefined;
    try {
      const { session } = this.#lifeline;
      if (trigger === 'sweep' && key !== 'all' && (await session.isComingBack(request))) return;
      await session.publish(kept?.work ?? { request, attempt: 0 });
      this.#lifeline.worked();
    } catch (error) {
      this.#lifeline.stumble(error);
      throw error;
    }
    if (kept) await this.#forget(kept);
  }

  /** A key waits here no more. */
  async #forget(kept: Kept): Promise<void> {
    const { request } = kept.work;
    const key = queueKeyOf(request);
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
    try {
      await this.#lifeline.session.unschedule(request, kept.place);
    } catch {
      // then the key comes once more
    }
  }

  /** False while NATS is away: the delay is over when it is back. */
  async #schedule(request: ReconcileRequest, delayMs: number): Promise<boolean> {
    try {
      await this.#lifeline.session.schedule({ request, attempt: 0 }, delayMs);
      return true;
    } catch (error) {
      this.#lifeline.stumble(error);
      return false;
    }
  }

  /** A key whose delay is over: it moves on to the others that may run. */
  async #takeDue(message: JsMsg): Promise<void> {
    const work = readBody(message.string());
    if ('unreadable' in work) {
      await this.#bury(message, work.unreadable);
      return;
    }
    await this.#lifeline.session.publish(work);
    message.ack();
  }

  #take(message: JsMsg): void {
    if (this.#lifeline.isStopped) {
      message.nak();
      return;
    }
    this.#judge(message).catch((error: unknown) => {
      this.#lifeline.stumble(error); // it is delivered again
    });
  }

  #judge(message: JsMsg): Promise<void> {
    const work = readBody(message.string());
    if ('unreadable' in work) return this.#bury(message, work.unreadable);
    if (message.info.deliveryCount > MOST_DELIVERIES)
      return this.#bury(message, `it was delivered ${MOST_DELIVERIES} times and never done`);
    return this.#runAlone(message, work);
  }

  /** Runs a key after its run in this process has ended, whose message was handed out anew while the connection was away. */
  async #runAlone(message: JsMsg, work: QueuedWork): Promise<void> {
    const key = queueKeyOf(work.request);
    const alive = setInterval(() => {
      message.working();
    }, ACK_WAIT_MS / 3);
    const before = this.#running.get(key) ?? Promise.resolve();
    const ended = before.then(() => this.#run(message, work));
    const settled = ended.catch(() => undefined);
    this.#running.set(key, settled);
    try {
      await ended;
    } finally {
      clearInterval(alive);
      if (this.#running.get(key) === settled) this.#running.delete(key);
    }
  }

  async #run(message: JsMsg, work: QueuedWork): Promise<void> {
    const { request } = work;
    this.#options.waiting?.forget(request.key);
    const kept = this.#kept.get(queueKeyOf(request));
    if (kept) await this.#forget(kept);
    const report = await this.#options.run(request).catch((error: unknown): Report => {
      this.#options.log.error('a run was rejected', { object: request.key, error: String(error) });
      return { request, outcome: REJECTED, applied: [], durationMs: 0, calls: 0, failedRequestIds: [] };
    });
    this.#asked.ended(message.seq, report);
    await this.#requeue(work, report);
    this.#lifeline.session.tell(message.seq, report);
    await message.ackAck();
    this.#lifeline.worked();
  }

  async #requeue(work: QueuedWork, report: Report): Promise<void> {
    const next = nextWork(work, report, this.#random);
    if (!next) return;
    const { delayMs, ...again } = next;
    const { waiting } = this.#options;
    if (waiting && again.waitingFor !== undefined && !this.#lifeline.isStopped) {
      const place = await this.#lifeline.session.schedule(again, Math.max(LOOK_MS, delayMs));
      this.#kept.set(queueKeyOf(again.request), { work: again, place });
      waiting.wait(again.request, report, again.attempt > 1 ? delayMs : 0);
    } else if (delayMs > 0) await this.#lifeline.session.schedule(again, delayMs);
    else await this.#lifeline.session.publish(again);
  }

  async #bury(message: JsMsg, reason: string): Promise<void> {
    this.#options.log.error('a message went to the dead letters', { subject: message.subject, reason });
    await this.#lifeline.session.bury(message);
    message.term();
  }
}
