import {
  jetstream,
  jetstreamManager,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type StoredMsg,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Report } from '../../model/outcome.ts';
import { fieldsOf, parseJson, stringAt } from '../../model/json.ts';
import { isByPerson, parseKey, type Named } from '../../model/request.ts';
import { bodyOf, deduplicationId, type QueuedWork } from '../queued-work.ts';
import type { Log } from '../../ports.ts';
import { LONGEST_WAIT_MS } from '../scheduling.ts';
import { apiCode, ensureLayout, namesOf, type Names, type Owner } from './layout.ts';

/** What waits or runs in all processes together. */
export interface Depth {
  readonly depth: number;
  readonly oldestMs: number;
}

/** JetStream's error_codes: two messages of this subject are there, or several servers just store one of this cause. */
const TAKEN = new Set([10_077, 10_158]);

/** The queue of one owner over one connection, from when its streams are as they should be until something ends it. */
export class Session {
  readonly connection: NatsConnection;
  readonly #names: Names;
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  /** The server's time of day, less the monotonic time here: schedules go by the server's clock. */
  readonly #serverMs: number;
  #deliveries: readonly ConsumerMessages[] = [];
  #isEnding = false;

  /** Throws where streams cannot be made, or are not as they have to be. */
  static async open(connection: NatsConnection, owner: Owner, log: Pick<Log, 'warn'>): Promise<Session> {
    const jsm = await jetstreamManager(connection);
    await ensureLayout(jsm, owner, log);
    const names = namesOf(owner);
    const asked = performance.now(); // a schedule may be a little late, and is never early
    const { ts = new Date().toISOString() } = await jsm.streams.info(names.work);
    return new Session(connection, jsm, names, Date.parse(ts) - asked);
  }

  private constructor(connection: NatsConnection, jsm: JetStreamManager, names: Names, serverMs: number) {
    this.connection = connection;
    this.#jsm = jsm;
    this.#js = jetstream(connection);
    this.#names = names;
    this.#serverMs = serverMs;
  }

  /**
   * Queues work. Returns the place of the message from which a run of the key counts that begins from now on: its own, or where
   * one waits already, that one's. `again`: it was queued before, so that it counts although its cause came already.
   */
  async publish(work: QueuedWork, again?: 'again'): Promise<number> {
    const { trigger, cause } = work.request;
    const subject = this.#names.workSubject(work.request);
    const isOnce = cause !== undefined && trigger !== 'requeue' && !again;
    try {
      const options = isOnce ? { msgID: deduplicationId(work) } : {};
      const { seq } = await this.#js.publish(subject, bodyOf(work), options);
      return seq;
    } catch (error) {
      if (!TAKEN.has(apiCode(error))) throw error;
      const last = isByPerson({ trigger }) ? await this.#lastOf(subject) : null;
      return last?.seq ?? 0;
    }
  }

  #lastOf(subject: string): Promise<StoredMsg | null> {
    return this.#jsm.streams.getMessage(this.#names.work, { last_by_subj: subject });
  }

  /**
   * Queues work after a delay, in the place of what is scheduled for the key. Returns the place of its message. `instead`: throws where
   * that is not the message at this place.
   */
  async schedule(work: QueuedWork, delayMs: number, instead?: number): Promise<number> {
    const { request } = work;
    const at = new Date(this.#serverMs + performance.now() + delayMs);
    const schedule = { specification: at, target: this.#names.dueSubject(request) };
    const { seq } = await this.#js.publish(this.#names.laterSubject(request), bodyOf(work), {
      schedule,
      ...(instead !== undefined && { expect: { lastSubjectSequence: instead } }),
    });
    return seq;
  }

  /**
   * Whether the key's next try is scheduled, within so long and at another place than `besides`. A drain that ends later than any try is
   * none.
   */
  async isComingBack(named: Named, withinMs: number = LONGEST_WAIT_MS, besides?: number): Promise<boolean> {
    const query = { last_by_subj: this.#names.laterSubject(named) };
    const scheduled = await this.#jsm.streams.getMessage(this.#names.later, query);
    if (!scheduled || scheduled.seq === besides) return false;
    const dueMs = Date.parse(scheduled.header.get('Nats-Schedule').replace('@at ', ''));
    return dueMs - (this.#serverMs + performance.now()) <= withinMs;
  }

  /** Takes back what was scheduled at a place; what was scheduled later for the key stays. */
  async unschedule(named: Named, place: number): Promise<void> {
    const filter = this.#names.laterSubject(named);
    await this.#jsm.streams.purge(this.#names.later, { filter, seq: place + 1 });
  }

  async bury(message: JsMsg): Promise<void> {
    await this.#js.publish(this.#names.deadSubject(message.subject), message.data);
  }

  /** Hands over the messages of all partitions, and those that are due. Resolves when one of the consumers has ended. */
  async deliver(to: {
    readonly work: (message: JsMsg) => void;
    readonly due: (message: JsMsg) => void;
  }): Promise<void> {
    const { work, later, due, consumers } = this.#names;
    const consume = async (
      stream: string,
      name: string,
      most: number,
      callback: (message: JsMsg) => void,
    ): Promise<ConsumerMessages> => {
      const consumer = await this.#js.consumers.get(stream, name);
      return consumer.consume({ ...PULL, max_messages: most, abort_on_missing_resource: true, callback });
    };
    this.#deliveries = await Promise.all([
      ...consumers.map((name) => consume(work, name, 1, to.work)),
      consume(later, due, DUE_AT_ONCE, to.due),
    ]);
    if (this.#isEnding) await this.endDeliveries();
    const ended = await Promise.race(this.#deliveries.map((messages) => messages.closed()));
    if (ended instanceof Error) throw ended;
  }

  async endDeliveries(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#deliveries.map((messages) => messages.close()));
  }

  async depth(): Promise<Depth> {
    const { work, later } = this.#names;
    const [now, then] = await Promise.all([this.#jsm.streams.info(work), this.#jsm.streams.info(later)]);
    const { messages, first_ts: first } = now.state;
    const oldestMs = messages === 0 ? 0 : Math.max(0, this.#serverMs + performance.now() - Date.parse(first));
    return { depth: messages + then.state.messages, oldestMs };
  }

  /** Tells the other processes of a run. A plan that is too long for a message of NATS stays here. */
  tell(place: number, report: Report): void {
    const { max_payload: longest = 0 } = this.connection.info ?? {};
    const { plan: _, ...short } = report;
    const texts = [report, short].map((told) => JSON.stringify({ place, report: told }));
    const text = texts.find((one) => Buffer.byteLength(one) < longest);
    if (text !== undefined) this.connection.publish(this.#names.reportSubject(report.request), text);
  }

  /** Calls `told` for every run of another process, with the place of its message. */
  listen(told: (place: number, report: Report) => void): void {
    this.connection.subscribe(this.#names.reports, {
      callback: (error, message) => {
        const { place, report } = error ? {} : fieldsOf(parseJson(message.string()));
        if (typeof place === 'number' && isReport(report)) told(place, report);
      },
    });
  }
}

/** Whether a process of ours may have sent this: another version has other fields, and still these. */
function isReport(value: unknown): value is Report {
  const { request, outcome, applied, durationMs } = fieldsOf(value);
  return (
    parseKey(stringAt(request, 'key') ?? '') !== undefined &&
    stringAt(outcome, 'status') !== undefined &&
    Array.isArray(applied) &&
    typeof durationMs === 'number'
  );
}

const DUE_AT_ONCE = 20;
/**
 * Asks for more when all that was asked for has come, and again after five seconds: with the client's own threshold, one message at
 * a time means a request at each refusal, at once, and a request that a restarted server forgot is missed for 30 s.
 */
const PULL = { threshold_messages: 0.5, expires: 5_000 } as const;
