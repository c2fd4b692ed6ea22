import { setTimeout as sleep } from 'node:timers/promises';
import { countdown } from '../deadline.ts';
import { errorText, ReconcileError } from '../model/errors.ts';
import type { Log } from '../ports.ts';
import type { Http } from './kube-http.ts';
import { leasePath } from './kube-objects.ts';

export interface LeaderLeaseOptions {
  readonly http: Http;
  readonly namespace: string;
  readonly name: string;
  /** Unique to a process. */
  readonly identity: string;
  readonly log: Log;
  /** Called when this process begins to lead, and when it does not lead any more. */
  readonly changed: (leads: boolean) => void;
  /** Milliseconds that have passed, the process's own clocks by default. */
  readonly clock?: LeaseClock;
}

export interface LeaseClock {
  /** The monotonic clock. It stands while the machine sleeps. */
  monotonic(): number;
  /** The time of day, which anybody may set. */
  wall(): number;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** A coordination.k8s.io/v1 Lease on the wire, as far as it is read. */
interface LeaseRecord {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** From the answer to a renewal, or from a look, to the next one. */
const EVERY_MS = 2_000;
/** From the moment when a renewal was sent, writes may begin for so long. */
const WRITES_MS = 13_000;
/** A record that stood still for so long on the observer's clock is nobody's any more. */
const STOOD_STILL_MS = 15_000;
/** The time of one request: so one that hangs leaves time for another. */
const REQUEST_MS = 4_000;

const OWN_CLOCK: LeaseClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * The Lease of a deployment: of its processes one leads, which alone writes (decision 521). No two clocks are compared: a process that
 * follows takes the Lease over when its record has stood still for 15 s on that process's own clock. The leader writes the last version
 * that it knows again 2 s after each answer, and may begin writes for 13 s after it sent a renewal that was taken. The two seconds
 * between are for a write that is on its way.
 */
export class LeaderLease {
  readonly #options: LeaderLeaseOptions;
  readonly #clock: LeaseClock;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** The record that was read or written last, and since when it is known. */
  #seen: { readonly record: LeaseRecord; readonly sinceMs: number } | undefined;
  /** When the last renewal that was taken was sent, by both clocks. */
  #sent = { monotonic: -Infinity, wall: -Infinity };
  #leads = false;
  /** What was logged last, of failures in a row. */
  #told: string | undefined;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
    this.#clock = options.clock ?? OWN_CLOCK;
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** Who holds the Lease, as far as this process has seen; undefined: nobody. */
  get holder(): string | undefined {
    return holderOf(this.#seen?.record);
  }

  /** Stands before each write. Throws LEASE_LOST where none may begin. */
  readonly guard = (): void => {
    if (this.#leads && this.#mayWrite()) return;
    const { namespace, name } = this.#options;
    throw new ReconcileError(
      'LEASE_LOST',
      `this process does not hold Lease ${namespace}/${name} (any more)`,
    );
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
    for (;;) {
      await this.#quietly(() => (this.#leads ? this.#renew() : this.#look()));
      if (this.#leads && !this.#mayWrite()) this.#setLeads(false);
      if (this.#isStopped()) return;
      await this.#clock.pause(EVERY_MS, this.#stopping.signal);
      if (this.#isStopped()) return;
    }
  }

  /** Takes the Lease, if it is nobody's. */
  async #look(): Promise<void> {
    const { identity } = this.#options;
    const record = await this.#get();
    if (!record) return this.#take({ metadata: { name: this.#options.name } });
    if (!this.#seen || versionOf(this.#seen.record) !== versionOf(record))
      this.#seen = { record, sinceMs: this.#clock.monotonic() };
    const holder = holderOf(record);
    const stoodStill = this.#clock.monotonic() - this.#seen.sinceMs >= STOOD_STILL_MS;
    if (holder === undefined || holder === identity || stoodStill) await this.#take(record);
  }

  async #take(record: LeaseRecord): Promise<void> {
    const { identity, log, namespace, name } = this.#options;
    const { leaseTransitions = 0 } = record.spec ?? {};
    const before = holderOf(record);
    const spec = {
      ...record.spec,
      holderIdentity: identity,
      leaseDurationSeconds: STOOD_STILL_MS / 1_000,
      acquireTime: now(),
      leaseTransitions: before === identity ? leaseTransitions : leaseTransitions + 1,
    };
    if (!(await this.#put({ ...record, spec }))) return;
    log.info('this process leads', { lease: `${namespace}/${name}`, ...(before && { before }) });
    this.#setLeads(true);
  }

  /** A renewal that was refused, or had no answer, may have been taken: the record that this process wrote last stands then. */
  async #renew(): Promise<void> {
    const record = this.#seen?.record;
    if (!record) {
      this.#setLeads(false);
      return;
    }
    const renewed = await this.#put(record).catch(() => false);
    if (renewed) return;
    const found = await this.#get();
    this.#seen = found && { record: found, sinceMs: this.#clock.monotonic() };
    if (found && holderOf(found) === this.#options.identity) await this.#put(found);
    else this.#setLeads(false);
  }

  #setLeads(leads: boolean): void {
    if (this.#leads === leads) return;
    this.#leads = leads;
    this.#options.changed(leads);
  }

  async #get(): Promise<LeaseRecord | undefined> {
    const { path, doing } = this.#request('read');
    const answer = await this.#send({ method: 'GET', path, doing, expected: [404] });
    return answer.status === 404 ? undefined : (answer.body as LeaseRecord);
  }

  /** Writes the record with the time of now. False: somebody else wrote, made or deleted it meanwhile. */
  async #put(record: LeaseRecord): Promise<boolean> {
    const { namespace } = this.#options;
    const { path, doing } = this.#request('write');
    const isNew = record.metadata.resourceVersion === undefined;
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      ...record,
      spec: { ...record.spec, renewTime: now() },
    };
    const sent = { monotonic: this.#clock.monotonic(), wall: this.#clock.wall() };
    const to = isNew
      ? { method: 'POST' as const, path: leasePath(namespace) }
      : { method: 'PUT' as const, path };
    const answer = await this.#send({ ...to, body, doing, expected: isNew ? [409] : [404, 409] });
    if (answer.status >= 400) return false;
    this.#seen = { record: answer.body as LeaseRecord, sinceMs: this.#clock.monotonic() };
    this.#sent = sent;
    return true;
  }

  #send(request: Parameters<Http>[0]): ReturnType<Http> {
    return this.#options.http({ ...request, leftMs: countdown(REQUEST_MS) });
  }

  #request(verb: string): { path: string; doing: string } {
    const { namespace, name } = this.#options;
    return { path: leasePath(namespace, name), doing: `${verb} Lease ${namespace}/${name}` };
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

function holderOf(record: LeaseRecord | undefined): string | undefined {
  const holder = record?.spec?.holderIdentity ?? '';
  return holder === '' ? undefined : holder;
}

function versionOf({ metadata: { uid, resourceVersion } }: LeaseRecord): string {
  return `${uid ?? ''}/${resourceVersion ?? ''}`;
}

/** A MicroTime, for whoever reads the Lease. The apiserver refuses one without six digits after the point. */
function now(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
