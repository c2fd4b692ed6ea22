import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { Report } from '../../model/outcome.ts';
import {
  clusterIn,
  isByPerson,
  queueKeyOf,
  type QueueKey,
  type ReconcileRequest,
} from '../../model/request.ts';
import type { Log } from '../../ports.ts';
import { nextWork } from '../next-work.ts';
import { readBody, type QueuedWork } from '../queued-work.ts';
import { Asked } from './asked.ts';
import { runBy, type ClusterWorker } from './cluster-worker.ts';
import { giveBack } from './give-back.ts';
import { Hold, LOOK_MS } from './hold.ts';
import { Lifeline, type LifelineOptions } from './lifeline.ts';
import { Outbox } from './outbox.ts';
import { Runs } from './runs.ts';
import type { Depth } from './session.ts';

export interface JetStreamQueueOptions extends Pick<LifelineOptions, 'connect' | 'owner'> {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** How long a run holds its partition at most. To its end without it. */
  readonly holdMs?: number;
  /** [0, 1), for the jitter. */
  readonly random?: () => number;
}

/** What the runs of a key have done so far, and the place of the message by which another process would look after it. */
interface Kept {
  readonly work: QueuedWork;
  readonly place: number;
}

/** A message that was delivered so often and never done kills whoever works on it. */
const MOST_DELIVERIES = 10;
/** What is under way when a process stops may take so long. */
const LAST_MS = 2_000;

/**
 * The work queue of several processes, in a NATS JetStream. One run per key at a time; a key that is added while it runs runs
 * once more afterwards; a key that waits for its next try holds up no other. What a process was at work on when it died comes
 * to another one after ACK_WAIT_MS: that is a lease, so writes need a protection of their own. While NATS does not answer,
 * what is added stays in this process, and no run begins. Keys are worked on for the clusters that have joined; keys of other
 * ones are given back.
 */
export class JetStreamQueue {
  readonly #options: JetStreamQueueOptions;
  readonly #random: () => number;
  readonly #outbox = new Outbox((request) => this.#send(request));
  readonly #asked = new Asked();
  readonly #lifeline: Lifeline;
  /** By the name of the cluster; undefined where it has none. */
  readonly #workers = new Map<string | undefined, ClusterWorker>();
  readonly #runs = new Runs();
  /** The keys that wait for a load balancer here. */
  readonly #kept = new Map<QueueKey, Kept>();
  #last: Promise<void> | undefined;
  #depth: Promise<Depth> | undefined;

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
        this.#workers.get(report.request.cluster)?.told?.(report);
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

  /** From now on keys of this cluster run here. */
  join(cluster: string | undefined, worker: ClusterWorker): void {
    this.#workers.set(cluster, worker);
  }

  /** No run of this cluster begins here any more. Resolves when the last one has ended. */
  async leave(cluster: string, reason: Error): Promise<void> {
    this.#workers.delete(cluster);
    this.refuseAsked(cluster, reason);
    for (const key of this.#kept.keys()) if (clusterIn(key) === cluster) this.#kept.delete(key);
    await this.#runs.endedOf(cluster);
  }

  /** Why nothing is queued or run. Undefined: the queue works. */
  get trouble(): string | undefined {
    return this.#lifeline.trouble;
  }

  /** Nobody who asked for a run of this cluster waits for it any more. */
  refuseAsked(cluster: string, reason: Error): void {
    this.#asked.giveUp(reason, cluster);
  }

  runningOf(cluster: string | undefined): number {
    return this.#runs.countOf(cluster);
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

  /** What all processes together have in the queue; who asks at the same time shares an answer. Rejects while NATS is away. */
  depth(): Promise<Depth> {
    this.#depth ??= this.#askDepth().finally(() => {
      this.#depth = undefined;
    });
    return this.#depth;
  }

  async #askDepth(): Promise<Depth> {
    const { depth, oldestMs } = await this.#lifeline.session.depth();
    return { depth: depth + this.#outbox.size, oldestMs };
  }

  /**
   * Takes no more keys, and resolves when the running ones have ended. Whatever they leave to do stays in JetStream, and what is
   * added until `last` has ended.
   */
  async stop(last?: Promise<void>): Promise<void> {
    this.#last = last;
    await this.#lifeline.stop();
    await Promise.all([last, this.#runs.ended()]);
  }

  /** Waits for what is under way to JetStream. */
  async #handOver(): Promise<void> {
    await Promise.all([this.#last, this.#runs.ended()]);
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
    await this.#lifeline.session.publish(work, 'again');
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

  async #runAlone(message: JsMsg, work: QueuedWork): Promise<void> {
    const { request } = work;
    const left = this.#runs.leftOf(request);
    if (left || !this.#runs.mayBegin(request)) {
      await (left?.follow(work) ?? giveBack(this.#lifeline.session, work, 'too many', this.#options.log));
      message.ack();
      return;
    }
    const hold = new Hold(message, work, {
      mostMs: this.#options.holdMs,
      keep: (kept, instead) => this.#lifeline.session.schedule(kept, LOOK_MS, instead),
      release: (place) => this.#lifeline.session.unschedule(request, place),
    });
    await this.#runs.alone(request, hold, () => this.#run(message.seq, work, hold));
  }

  async #run(place: number, work: QueuedWork, hold: Hold): Promise<void> {
    const { request } = work;
    const { log } = this.#options;
    const worker = this.#workers.get(request.cluster);
    if (worker?.sides?.mayBegin === false || !worker) {
      await giveBack(this.#lifeline.session, work, worker ? 'no answer' : 'not served', log);
      await hold.end();
      return;
    }
    worker.waiting?.forget(request.key);
    const kept = this.#kept.get(queueKeyOf(request));
    if (kept) await this.#forget(kept);
    const report = await runBy(worker, request, log);
    await hold.keepOn();
    this.#asked.ended(place, report);
    if (hold.following) await this.#lifeline.session.publish(hold.following, 'again');
    else await this.#requeue(work, report, worker, hold.place);
    this.#lifeline.session.tell(place, report);
    await hold.end();
    this.#lifeline.worked();
  }

  /** @param left the place of what is scheduled for a run that has left its partition */
  async #requeue(work: QueuedWork, report: Report, worker: ClusterWorker, left?: number): Promise<void> {
    const next = nextWork(work, report, this.#random);
    if (!next) return;
    const { delayMs, ...again } = next;
    const { session } = this.#lifeline;
    if (left !== undefined && (await session.isComingBack(work.request, delayMs, left))) return; // by another process
    const { waiting } = worker;
    const isHere = !this.#lifeline.isStopped && this.#workers.get(work.request.cluster) === worker;
    if (waiting && again.waitingFor !== undefined && isHere) {
      const place = await session.schedule(again, Math.max(LOOK_MS, delayMs));
      this.#kept.set(queueKeyOf(again.request), { work: again, place });
      waiting.wait(again.request, report, again.attempt > 1 ? delayMs : 0);
    } else if (delayMs > 0) await session.schedule(again, delayMs);
    else await session.publish(again);
  }

  async #bury(message: JsMsg, reason: string): Promise<void> {
    this.#options.log.error('a message went to the dead letters', { subject: message.subject, reason });
    await this.#lifeline.session.bury(message);
    message.term();
  }
}
