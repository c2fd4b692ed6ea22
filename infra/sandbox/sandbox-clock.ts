import { setTimeout as wait } from 'node:timers/promises';

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/**
 * The one idea of "now" both simulators share. Tests move it instead of waiting: the Date header, lease and
 * token times and the end of every PENDING_* follow it.
 */
export class SandboxClock {
  private offsetMs = 0;

  millis(): number {
    return Date.now() + this.offsetMs;
  }

  now(): Date {
    return new Date(this.millis());
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  /** Ends at once when the signal is given. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return wait(ms, undefined, { signal }).catch(() => undefined);
  }

  /** UTC with whole seconds and a Z, as Kubernetes and Neutron write times. */
  seconds(): string {
    return `${this.now().toISOString().slice(0, 19)}Z`;
  }

  /** UTC with six decimals, as Keystone tokens and Kubernetes MicroTime carry it. */
  micros(): string {
    return this.now().toISOString().replace('Z', '000Z');
  }
}

/**
 * Time that stands still until it is advanced, or until everything in the process waits for it: then it jumps
 * to the first time that is due. For worlds without sockets, where a minute of waiting takes no time.
 */
export class VirtualClock extends SandboxClock {
  private at: number;
  private sleepers: Sleeper[] = [];
  private looking = false;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    super();
    this.at = startMs;
  }

  override millis(): number {
    return this.at;
  }

  override advance(ms: number): void {
    this.at += ms;
    const due = this.sleepers.filter(({ dueAt }) => dueAt <= this.at);
    this.sleepers = this.sleepers.filter(({ dueAt }) => dueAt > this.at);
    for (const { wake } of due) wake();
  }

  override pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      const sleeper = { dueAt: this.at + ms, wake };
      this.sleepers.push(sleeper);
      this.sleepers.sort((a, b) => a.dueAt - b.dueAt);
      signal?.addEventListener('abort', () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        wake();
      });
      this.jumpWhenIdle();
    });
  }

  private jumpWhenIdle(): void {
    if (this.looking) return;
    this.looking = true;
    setImmediate(() => {
      this.looking = false;
      const [first] = this.sleepers;
      if (!first) return;
      this.advance(Math.max(0, first.dueAt - this.at));
      this.jumpWhenIdle();
    });
  }
}
