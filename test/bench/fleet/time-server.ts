/** The time of a bench: it moves when levelset waits, to what is due first, and by the CPU that it has taken. */
import { once } from 'node:events';
import { createServer, type Server, type Socket, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** By this header a simulator knows which request it answers. */
export const NUMBER = 'x-bench-request';

/** levelset has nothing to do until an answer comes or a timer ends. */
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
  /** The requests whose answers are on their way. */
  readonly answered: readonly number[];
}

/** What else happens in time. */
export interface Happening {
  /** Resolves when these requests have come in. */
  received(requests: readonly number[]): Promise<void>;
  readonly nextMs: number;
  /** Sets the time and does what is due; the requests that are answered now. */
  moveTo(nowMs: number): Promise<readonly number[]>;
}

/** Times are multiples of this, so that what is due at nearly the same time is due together. */
const TICK_MS = 10;

export class TimeServer {
  readonly #happening: Happening;
  readonly #server: Server;
  #worker: Socket | undefined;
  #waiting: Waiting | undefined;
  #untilMs: number;
  #nowMs: number;
  #isMoving = false;
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(startMs: number, happening: Happening) {
    this.#nowMs = this.#untilMs = startMs;
    this.#happening = happening;
    this.#server = createServer((socket) => {
      this.#worker = socket.setNoDelay(true);
      createInterface({ input: socket }).on('line', (line) => {
        this.#wait(JSON.parse(line) as Waiting);
      });
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the time pass. Resolves when it has come to this one. */
  async run(untilMs: number): Promise<void> {
    this.#ended = Promise.withResolvers();
    this.#untilMs = untilMs;
    this.#go();
    await this.#ended.promise;
  }

  #wait(waiting: Waiting): void {
    const { sent = [], cpuMs = 0 } = this.#waiting ?? {};
    this.#waiting = { ...waiting, sent: [...sent, ...waiting.sent], cpuMs: waiting.cpuMs + cpuMs };
    this.#go();
  }

  #go(): void {
    if (this.#isMoving || !this.#ended || !this.#waiting) return;
    if (this.#nowMs >= this.#untilMs) {
      this.#ended.resolve();
      return;
    }
    this.#isMoving = true;
    this.#move(this.#waiting).then(
      () => {
        this.#isMoving = false;
        this.#go();
      },
      (error: unknown) => {
        this.#ended?.reject(error);
      },
    );
  }

  async #move({ sent, nextMs, cpuMs }: Waiting): Promise<void> {
    await this.#happening.received(sent);
    const least = Math.min(this.#happening.nextMs, nextMs ?? Infinity);
    const due = Math.min(this.#untilMs, Math.ceil(least / TICK_MS) * TICK_MS);
    this.#nowMs = Math.max(this.#nowMs + cpuMs, due);
    this.#waiting = undefined;
    const moved: Moved = { nowMs: this.#nowMs, answered: await this.#happening.moveTo(this.#nowMs) };
    this.#worker?.write(`${JSON.stringify(moved)}\n`);
  }
}
