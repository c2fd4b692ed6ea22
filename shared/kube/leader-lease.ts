import { setTimeout as sleep } from 'node:timers/promises';
import { countdown } from '../deadline.ts';
import { errorText, ReconcileError } from '../model/errors.ts';
import type { Log } from '../ports.ts';
import type { KubeHttp } from './kube-http.ts';
import { holderOf, LeaseObject, takenBy, type LeaseRecord } from './lease.ts';

interface LeaderLeaseOptions {
  readonly http: KubeHttp;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly log: Log;
  readonly changed: (leads: boolean) => void;
  /** Milliseconds that have passed, the process's own clocks by default. */
  readonly clock?: LeaseClock;
}

export interface Leading {
  /** Stands before each write. Throws LEASE_LOST where none may begin. */
  guard(): void;
  readonly deployment: string | undefined;
}

export interface LeaseClock {
  /** The monotonic clock. It stands while the machine sleeps. */
  monotonic(): number;
  /** The time of day, which anybody may set. */
  wall(): number;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** From the answer to a renewal, or from a look, to the next one. */
const EVERY_MS = 2_000;
/** From the moment when a renewal was sent, writes may begin for so long. */
const WRITES_MS = 13_000;
/** A record that stood still for so long on the observer's clock is nobody's any more. */
const STOOD_STILL_MS = 15_000;
/** The time of one request: a slow kube-apiserver has answered by then, and one that hangs leaves time for another. */
const REQUEST_MS = 6_000;

const OWN_CLOCK: LeaseClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * Of the processes of a deployment one leads, which alone writes (decision 521). No two clocks are compared: a
 * follower takes over when the record has stood still for 15 s on its own clock. The leader may begin writes for 13 s
 * after a renewal was sent.
 */
export class LeaderLease implements Leading {
  readonly #options: LeaderLeaseOptions;
  readonly #clock: LeaseClock;
  readonly #lease: LeaseObject;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #seen: { readonly record: LeaseRecord; readonly sinceMs: number } | undefined;
  /** When the last renewal that was taken was sent, by both clocks. */
  #sent = { monotonic: -Infinity, wall: -Infinity };
  #leads = false;
  #isHeldByAnother = false;
  #told: string | undefined;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
    this.#clock = options.clock ?? OWN_CLOCK;
    const http: KubeHttp = (request) => options.http({ ...request, leftMs: countdown(REQUEST_MS) });
    this.#lease = new LeaseObject(http, options.namespace, options.name);
  }

  get leads(): boolean {
    return this.#leads;
  }

  get holder(): string | undefined {
    return holderOf(this.#seen?.record);
  }

  /** Why it cannot be told who leads; undefined: it can. */
  get trouble(): string | undefined {
    return this.#told;
  }

  /** Whether another process has written the Lease while this one looked. */
  get isHeldByAnother(): boolean {
    return this.#isHeldByAnother;
  }

  /** Names the deployment, which has all processes with this Lease, once this one leads. */
  get deployment(): string | undefined {
    const { uid } = this.#seen?.record.metadata ?? {};
    return uid === undefined ? undefined : `the deployment of Lease ${this.#lease.name} (${uid})`;
  }

  readonly guard = (): void => {
    if (this.#leads && this.#mayWrite()) return;
    throw new ReconcileError('LEASE_LOST', `this process does not hold Lease ${this.#lease.name} (any more)`);
  };

  /** The later clock counts: a machine that slept lets no write begin. */
  #mayWrite(): boolean {
    const { monotonic, wall } = this.#sent;
    return Math.max(this.#clock.monotonic() - monotonic, this.#clock.wall() - wall) < WRITES_MS;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Gives the Lease back, if this process has it, when what may write has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const { record } = this.#seen ?? {};
    if (!record || holderOf(record) !== this.#options.identity) return;
    this.#setLeads(false);
    await this.#quietly(() => this.#put({ ...record, spec: { ...record.spec, holderIdentity: '' } }));
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped()) {
      await this.#quietly(() => (this.#leads ? this.#renew() : this.#look()));
      if (this.#leads && !this.#mayWrite()) this.#setLeads(false);
      if (!this.#isStopped()) await this.#clock.pause(EVERY_MS, this.#stopping.signal);
    }
  }

  async #look(): Promise<void> {
    const { identity } = this.#options;
    const record = await this.#lease.read();
    if (!record) return this.#take({ metadata: { name: this.#options.name } });
    const holder = holderOf(record);
    const before = this.#seen;
    if (!before || versionOf(before.record) !== versionOf(record)) {
      this.#seen = { record, sinceMs: this.#clock.monotonic() };
      this.#isHeldByAnother = before !== undefined && holder !== undefined;
    }
    const sinceMs = this.#seen?.sinceMs ?? 0;
    const stoodStill = this.#clock.monotonic() - sinceMs >= STOOD_STILL_MS;
    if (holder === undefined || holder === identity || stoodStill) await this.#take(record);
  }

  async #take(record: LeaseRecord): Promise<void> {
    const { identity, log } = this.#options;
    const before = holderOf(record);
    if (!(await this.#put(takenBy(record, identity, STOOD_STILL_MS / 1_000)))) return;
    log.info('this process leads', { lease: this.#lease.name, ...(before && { before }) });
    this.#setLeads(true);
  }

  /** A renewal that was refused, or had no answer, may have been taken: the record that this process wrote last stands then. */
  async #renew(): Promise<void> {
    const record = this.#seen?.record;
    if (record && (await this.#put(record).catch(() => false))) return;
    const found = await this.#lease.read();
    this.#seen = found && { record: found, sinceMs: this.#clock.monotonic() };
    if (found && holderOf(found) === this.#options.identity) await this.#put(found);
    else this.#setLeads(false);
  }

  #setLeads(leads: boolean): void {
    if (this.#leads === leads) return;
    this.#leads = leads;
    this.#options.changed(leads);
  }

  async #put(record: LeaseRecord): Promise<boolean> {
    const sent = { monotonic: this.#clock.monotonic(), wall: this.#clock.wall() };
    const written = await this.#lease.write(record);
    if (!written) return false;
    this.#seen = { record: written, sinceMs: this.#clock.monotonic() };
    this.#sent = sent;
    return true;
  }

  async #quietly(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
      this.#told = undefined;
    } catch (error) {
      const reason = errorText(error);
      if (reason !== this.#told) this.#options.log.warn('who leads cannot be told', { reason });
      this.#told = reason;
    }
  }
}

function versionOf({ metadata: { uid, resourceVersion } }: LeaseRecord): string {
  return `${uid ?? ''}/${resourceVersion ?? ''}`;
}
