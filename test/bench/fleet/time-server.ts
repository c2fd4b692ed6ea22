/** The time of a bench: it moves when levelset waits, to what is due first, and by the CPU that it has taken. */
import { once } from 'node:events';
import { createServer, type Socket, type AddressInfo } from 'node:net';
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

/** The time of the bench, for one process that says when it waits. */
export async function startTime(startMs: number, happening: Happening) {
  let [nowMs, untilMs, isMoving] = [startMs, startMs, false];
  let worker: Socket | undefined;
  let waiting: Waiting | undefined;
  let ended: PromiseWithResolvers<void> | undefined;
  const move = async ({ sent, nextMs, cpuMs }: Waiting): Promise<void> => {
    await happening.received(sent);
    const least = Math.min(happening.nextMs, nextMs ?? Infinity);
    const due = Math.min(untilMs, Math.ceil(least / TICK_MS) * TICK_MS);
    nowMs = Math.max(nowMs + cpuMs, due);
    waiting = undefined;
    const moved: Moved = { nowMs, answered: await happening.moveTo(nowMs) };
    worker?.write(`${JSON.stringify(moved)}\n`);
  };
  const go = (): void => {
    if (isMoving || !ended || !waiting) return;
    if (nowMs >= untilMs) {
      ended.resolve();
      return;
    }
    isMoving = true;
    move(waiting).then(() => {
      isMoving = false;
      go();
    }, ended.reject);
  };
  const server = createServer((socket) => {
    worker = socket.setNoDelay(true);
    createInterface({ input: socket }).on('line', (line) => {
      const more = JSON.parse(line) as Waiting;
      const { sent = [], cpuMs = 0 } = waiting ?? {};
      waiting = { ...more, sent: [...sent, ...more.sent], cpuMs: more.cpuMs + cpuMs };
      go();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Lets the time pass. Resolves when it has come to this one. */
    run: (ms: number): Promise<void> => {
      ended = Promise.withResolvers();
      untilMs = ms;
      go();
      return ended.promise;
    },
  };
}
