import type { SandboxClock } from '../../sandbox-clock.ts';
import { itself, Rows } from '../rows.ts';
import type * as octavia from './objects.ts';

interface PendingEnd {
  readonly dueAt: number;
  readonly run: (at: string) => void;
}

const project_id = (row: octavia.OctaviaObject): string => row.project_id;
const loadbalancer_id = (row: octavia.Listener | octavia.Pool): string => row.loadbalancer_id;
const pool_id = (row: octavia.Member | octavia.HealthMonitor): string => row.pool_id;

/** The place of a member. No two members of a pool have the same. */
export const placeOf = (pool: string, address: unknown, port: unknown): string =>
  `${pool} ${String(address)} ${String(port)}`;

/** Octavia's rows. Reading any table first ends the PENDING_* states that are due, so tests and requests see the same. */
export class OctaviaRows {
  readonly clock: SandboxClock;
  readonly pendingMs: number;
  private readonly rows = {
    loadbalancers: Rows.by<octavia.LoadBalancer>({
      fixed: { project_id },
      live: { vip_port_id: itself, name: itself, tags: (value) => value as readonly string[] },
    }),
    listeners: Rows.by<octavia.Listener>({ fixed: { project_id, loadbalancer_id } }),
    pools: Rows.by<octavia.Pool>({ fixed: { project_id, loadbalancer_id } }),
    members: Rows.by<octavia.Member>({
      fixed: { project_id, pool_id, place: (row) => placeOf(row.pool_id, row.address, row.protocol_port) },
    }),
    healthmonitors: Rows.by<octavia.HealthMonitor>({ fixed: { project_id, pool_id } }),
    l7policies: Rows.by<octavia.L7Policy>({ fixed: { project_id, listener_id: (row) => row.listener_id } }),
    l7rules: Rows.by<octavia.L7Rule>({ fixed: { project_id, l7policy_id: (row) => row.l7policy_id } }),
  };
  /** The ends of PENDING_* states, in the order in which they are due. */
  private readonly pending: PendingEnd[] = [];

  constructor(clock: SandboxClock, pendingMs: number) {
    this.clock = clock;
    this.pendingMs = pendingMs;
  }

  get loadbalancers(): Rows<octavia.LoadBalancer> {
    return this.settled().loadbalancers;
  }

  get listeners(): Rows<octavia.Listener> {
    return this.settled().listeners;
  }

  get pools(): Rows<octavia.Pool> {
    return this.settled().pools;
  }

  get members(): Rows<octavia.Member> {
    return this.settled().members;
  }

  get healthmonitors(): Rows<octavia.HealthMonitor> {
    return this.settled().healthmonitors;
  }

  get l7policies(): Rows<octavia.L7Policy> {
    return this.settled().l7policies;
  }

  get l7rules(): Rows<octavia.L7Rule> {
    return this.settled().l7rules;
  }

  /** The time in Octavia's own notation: UTC, whole seconds, no zone. */
  octaviaTime(): string {
    return this.clock.now().toISOString().slice(0, 19);
  }

  /** Calls `run` when the work of a write is over. `at` is that moment, however much later somebody reads. */
  afterPending(run: (at: string) => void, times = 1): void {
    const dueAt = this.clock.millis() + this.pendingMs * times;
    const last = this.pending.at(-1)?.dueAt ?? dueAt;
    this.pending.push({ dueAt, run });
    if (last > dueAt) this.pending.sort((a, b) => a.dueAt - b.dueAt);
  }

  private settled(): typeof this.rows {
    const now = this.clock.millis();
    if (this.pending[0] === undefined || this.pending[0].dueAt > now) return this.rows;
    const later = this.pending.findIndex((end) => end.dueAt > now);
    const due = this.pending.splice(0, later === -1 ? this.pending.length : later);
    for (const end of due) end.run(new Date(end.dueAt).toISOString().slice(0, 19));
    return this.rows;
  }
}
