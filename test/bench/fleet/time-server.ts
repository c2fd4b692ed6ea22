/** The one time of a bench: it moves when every worker waits, to what is due first, and by the CPU that they have taken. */
import { once } from 'node:events';
import { createServer, type Server, type Socket, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** A worker has nothing to do until an answer comes or a timer ends. */
export interface Waiting {
  /** The requests that it has sent since it waited last. */
  readonly sent: readonly number[];
  /** When its next timer ends; null without one. */
  readonly nextMs: number | null;
  /** The CPU that it has taken since it waited last. */
  readonly cpuMs: number;
}

export interface Moved {
  readonly nowMs: number;
  /** The requests of this worker whose answers are on their way. */
  readonly answered: readonly number[];
}

/** What else happens in time. */
export interface Happening {
  /** Resolves when these requests have come in. */
  received(worker: number, requests: readonly number[]): Promise<void>;
  readonly nextMs: number;
  /** Sets the time and does what is due; the requests that are answered now, by worker. */
  moveTo(nowMs: number): Promise<ReadonlyMap<number, readonly number[]>>;
}

/** Times are multiples of this, so that what is due at nearly the same time is due together. */
const TICK_MS = 10;

export class TimeServer {
  readonly #happening: Happening;
  readonly #server: Server;
  readonly #workers: Socket[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #untilMs: number;
  #nowMs: number;
  #expected = 0;
  #isMoving = false;
  #ended: PromiseWithResolvers<void> | undefined;
  /** How often the time has moved. */
  moves = 0;

  constructor(startMs: number, happening: Happening) {
    this.#nowMs = this.#untilMs = startMs;
    this.#happening = happening;
    this.#server = createServer((socket) => {
      const number = this.#workers.push(socket) - 1;
      socket.setNoDelay(true);
      createInterface({ input: socket }).on('line', (line) => {
        this.#wait(number, JSON.parse(line) as Waiting);
      });
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the time pass, with so many workers. Resolves when it has come to this one. */
  async run(untilMs: number, workers: number): Promise<void> {
    this.#ended = Promise.withResolvers();
    this.#untilMs = untilMs;
    this.#expected = workers;
    this.#go();
    await this.#ended.promise;
  }

  #wait(worker: number, waiting: Waiting): void {
    const before = this.#waiting.get(worker);
    const sent = [...(before?.sent ?? []), ...waiting.sent];
    this.#waiting.set(worker, { ...waiting, sent, cpuMs: waiting.cpuMs + (before?.cpuMs ?? 0) });
    this.#go();
  }

  #go(): void {
    if (this.#isMoving || !this.#ended || this.#waiting.size < this.#expected) return;
    if (this.#nowMs >= this.#untilMs) {
      this.#ended.resolve();
      return;
    }
    this.#isMoving = true;
    this.#move().then(
      () => {
        this.#isMoving = false;
        this.#go();
      },
      (error: unknown) => {
        this.#ended?.reject(error);
      },
    );
  }

  async #move(): Promise<void> {
    const waiting = [...this.#waiting];
    await Promise.all(waiting.map(([worker, { sent }]) => this.#happening.received(worker, sent)));
    const least = Math.min(this.#happening.nextMs, ...waiting.map(([, { nextMs }]) => nextMs ?? Infinity));
    const worked = this.#nowMs + Math.max(...waiting.map(([, { cpuMs }]) => cpuMs));
    const due = Math.min(this.#untilMs, Math.ceil(least / TICK_MS) * TICK_MS);
    this.#nowMs = Math.max(worked, due);
    this.moves += 1;
    this.#waiting.clear();
    const answered = await this.#happening.moveTo(this.#nowMs);
    for (const [worker] of waiting) {
      const moved: Moved = { nowMs: this.#nowMs, answered: answered.get(worker) ?? [] };
      this.#workers[worker]?.write(`${JSON.stringify(moved)}\n`);
    }
  }
}
