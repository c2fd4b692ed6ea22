/**
 * Timers and clocks of a process by a time that somebody else moves. Whoever imports this imports it first. Sockets keep the
 * real time: they are between processes of one machine, and what travels is waited for.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  /** Undefined once it was cleared: what it would use may go. */
  run: (() => void) | undefined;
}

export const real = { setImmediate: globalThis.setImmediate };

/** The first one is the next that is due (a binary heap); those that were cleared go when they come up. */
const heap: Timer[] = [];
const startMs = Date.UTC(2026, 0, 2);
let nowMs = startMs;
let made = 0;

export const virtual = {
  get nowMs(): number {
    return nowMs;
  },
  /** When the next timer ends; Infinity without one. */
  get nextMs(): number {
    while (heap[0] && !heap[0].run) take();
    return heap[0]?.dueMs ?? Infinity;
  },
  /** Runs what is due by then, in its order. */
  moveTo(ms: number): void {
    nowMs = Math.max(nowMs, ms);
    while (virtual.nextMs <= nowMs) take()?.run?.();
  },
};

function isBefore(one: Timer | undefined, other: Timer | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

function put(timer: Timer): void {
  heap.push(timer);
  for (let at = heap.length - 1; at > 0;) {
    const above = (at - 1) >> 1;
    if (!isBefore(heap[at], heap[above])) return;
    swap(at, above);
    at = above;
  }
}

function take(): Timer | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (heap.length === 0 || !last) return first;
  heap[0] = last;
  for (let at = 0; ;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const least = isBefore(heap[right], heap[left]) ? right : left;
    if (!isBefore(heap[least], heap[at])) return first;
    swap(at, least);
    at = least;
  }
}

function swap(one: number, other: number): void {
  const [a, b] = [heap[one], heap[other]];
  if (!a || !b) return;
  heap[one] = b;
  heap[other] = a;
}

/** What a timer of Node looks like to those who hold it. */
class Handle {
  timer: Timer | undefined;
  ms = 1;

  begin(ms: number, run: () => void): this {
    this.ms = Number.isFinite(ms) ? Math.max(1, ms) : 1;
    this.timer = { dueMs: nowMs + this.ms, order: (made += 1), run };
    put(this.timer);
    return this;
  }

  clear(): void {
    if (this.timer) this.timer.run = undefined;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    const { timer, ms } = this;
    const run = timer?.run;
    if (!run) return this;
    this.clear();
    return this.begin(ms, run);
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

const RealDate = Date;
class VirtualDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [nowMs] : given) as []));
  }

  static override now(): number {
    return Math.floor(nowMs);
  }
}

type Callback = (...given: readonly unknown[]) => void;

function setVirtualTimeout(run: Callback, ms = 1, ...given: readonly unknown[]): Handle {
  return new Handle().begin(ms, () => {
    run(...given);
  });
}

function setVirtualInterval(run: Callback, ms = 1, ...given: readonly unknown[]): Handle {
  const handle = new Handle();
  const again = (): void => {
    handle.begin(ms, () => {
      again();
      run(...given);
    });
  };
  again();
  return handle;
}

const clear = (handle: unknown): void => {
  if (handle instanceof Handle) handle.clear();
};

function wait<T>(
  ms = 1,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      handle.clear();
      reject(new DOMException('aborted', 'AbortError'));
    };
    const handle = setVirtualTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, ms);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

Object.assign(globalThis, {
  Date: VirtualDate,
  setTimeout: setVirtualTimeout,
  setInterval: setVirtualInterval,
  clearTimeout: clear,
  clearInterval: clear,
});
Object.defineProperty(performance, 'now', { value: () => nowMs - startMs });
AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  setVirtualTimeout(() => {
    controller.abort(new DOMException('the time is over', 'TimeoutError'));
  }, ms);
  return controller.signal;
};
Object.assign(timers, { setTimeout: wait });
syncBuiltinESMExports();
