/**
 * Timers and clocks of a process by a time that somebody else moves. Whoever imports this imports it first. Sockets keep the
 * real time: they are between processes of one machine, and what travels is waited for.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

interface Timer {
  readonly dueMs: number;
  /** Undefined once it was cleared: what it would use may go. */
  run: (() => void) | undefined;
}

/** The last one is the next that is due; those that were cleared go when they come up. */
const pending: Timer[] = [];
const startMs = Date.UTC(2026, 0, 2);
let nowMs = startMs;

export const virtual = {
  get nowMs(): number {
    return nowMs;
  },
  /** When the next timer ends; Infinity without one. */
  get nextMs(): number {
    while (pending.length > 0 && !pending.at(-1)?.run) pending.pop();
    return pending.at(-1)?.dueMs ?? Infinity;
  },
  /** Runs what is due by then, in its order. */
  moveTo(ms: number): void {
    nowMs = Math.max(nowMs, ms);
    while (virtual.nextMs <= nowMs) pending.pop()?.run?.();
  },
};

/** Of those that are due at one time the one that was put first goes first. */
function put(timer: Timer): void {
  let [from, to] = [0, pending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((pending[middle]?.dueMs ?? 0) > timer.dueMs) from = middle + 1;
    else to = middle;
  }
  pending.splice(from, 0, timer);
}

/** What a timer of Node looks like to those who hold it. */
class Handle {
  timer: Timer | undefined;
  ms = 1;

  begin(ms: number, run: () => void): this {
    this.ms = Number.isFinite(ms) ? Math.max(1, ms) : 1;
    this.timer = { dueMs: nowMs + this.ms, run };
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

  refresh(): this {
    const { timer, ms } = this;
    const run = timer?.run;
    if (!run) return this;
    this.clear();
    return this.begin(ms, run);
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

function wait(ms = 1, value?: unknown, { signal }: { readonly signal?: AbortSignal } = {}) {
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
