import type { SandboxClock } from '../../sandbox-clock.ts';
import type * as octavia from './objects.ts';

interface PendingEnd {
  readonly dueAt: number;
  readonly run: (at: string) => void;
}

/**
 * Octavia's rows. Reading any list first lets the PENDING_* states that are due come to their end, so tests and
 * requests see the same world.
 */
export class OctaviaRows {
  readonly clock: SandboxClock;
  readonly pendingMs: number;
  private readonly rows = {
    loadbalancers: [] as octavia.LoadBalancer[],
    listeners: [] as octavia.Listener[],
    pools: [] as octavia.Pool[],
    members: [] as octavia.Member[],
    healthmonitors: [] as octavia.HealthMonitor[],
    l7policies: [] as octavia.L7Policy[],
    l7rules: [] as octavia.L7Rule[],
  };
  private pending: PendingEnd[] = [];

  constructor(clock: SandboxClock, pendingMs: number) {
    this.clock = clock;
    this.pendingMs = pendingMs;
  }

  get loadbalancers(): octavia.LoadBalancer[] {
    return this.settled().loadbalancers;
  }

  get listeners(): octavia.Listener[] {
    return this.settled().listeners;
  }

  get pools(): octavia.Pool[] {
    return this.settled().pools;
  }

  get members(): octavia.Member[] {
    return this.settled().members;
  }

  get healthmonitors(): octavia.HealthMonitor[] {
    return this.settled().healthmonitors;
  }

  get l7policies(): octavia.L7Policy[] {
    return this.settled().l7policies;
  }

  get l7rules(): octavia.L7Rule[] {
    return this.settled().l7rules;
  }

  /** Octavia's own notation: UTC, whole seconds, no zone. */
  octaviaTime(): string {
    return this.clock.now().toISOString().slice(0, 19);
  }

  /** Runs when the work of a write is over; `at` is that moment, however much later somebody looks. */
  afterPending(run: (at: string) => void): void {
    this.pending.push({ dueAt: this.clock.millis() + this.pendingMs, run });
  }

  private settled(): typeof this.rows {
    const now = this.clock.millis();
    const due = this.pending.filter((end) => end.dueAt <= now);
    this.pending = this.pending.filter((end) => end.dueAt > now);
    for (const end of due) end.run(new Date(end.dueAt).toISOString().slice(0, 19));
    return this.rows;
  }
}
