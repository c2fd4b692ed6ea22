import { newMemory } from '../../../shared/memory/memory.ts';
import type { Outcome, Report } from '../../../shared/model/outcome.ts';
import { serviceKey, type Key, type ReconcileRequest, type Trigger } from '../../../shared/model/request.ts';
import { MemoryQueue } from '../../../shared/queue/memory-queue.ts';
import { OctaviaLoad } from '../../../shared/queue/octavia-load.ts';
import { ParkedKeys } from '../../../shared/queue/parked-keys.ts';
import { PendingPoller } from '../../../shared/queue/pending-poller.ts';
import { aReport, progressing, SETTLED } from './reports.ts';

export const SECOND = 1_000;
/** Reads before a write, and after Octavia is done. */
export const RUN_MS = 300;
/** Longer than any test: Octavia is at work for good. */
export const FOR_GOOD = 1e12;

const clock = { now: () => Date.now() };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export type Sharing = 'queues' | 'slows down';

/** An Octavia that bears `bears` works at once. What is more waits its turn, or takes time from the others. */
export class BusyOctavia {
  bears: number;
  readonly #sharing: Sharing;
  readonly #left = new Map<string, number>();
  #last = Date.now();
  #timer: NodeJS.Timeout | undefined;
  most = 0;

  constructor(bears: number, sharing: Sharing = 'queues') {
    this.bears = bears;
    this.#sharing = sharing;
  }

  get atWork(): number {
    return this.#left.size;
  }

  begin(id: string, workMs: number): void {
    this.#pass();
    this.#left.set(id, workMs);
    this.most = Math.max(this.most, this.#left.size);
    this.#plan();
  }

  isBusy(id: string): boolean {
    return this.#left.has(id);
  }

  #pass(): void {
    const passedMs = Date.now() - this.#last;
    this.#last = Date.now();
    for (const [id, leftMs] of this.#shares()) this.#left.set(id, leftMs - passedMs * this.#pace());
    for (const [id, leftMs] of this.#left) if (leftMs <= 0.001) this.#left.delete(id);
  }

  #pace(): number {
    return this.#sharing === 'queues' ? 1 : Math.min(1, this.bears / this.#left.size);
  }

  #shares(): readonly (readonly [string, number])[] {
    return this.#sharing === 'queues' ? [...this.#left].slice(0, this.bears) : [...this.#left];
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...this.#shares().map(([, leftMs]) => leftMs / this.#pace()));
    if (next >= FOR_GOOD / 10) return;
    this.#timer = setTimeout(() => {
      this.#pass();
      this.#plan();
    }, Math.ceil(next));
  }
}

/** What one Service needs. */
export interface Need {
  readonly verb?: 'create' | 'update' | 'delete';
  /** Only members, as after a Node left. */
  readonly members?: true;
  /** How often it writes to its load balancer. */
  readonly writes?: number;
  readonly workMs?: number;
  /** Its load balancer; one of its own without it. */
  readonly loadBalancer?: string;
  /** How long its runs take. */
  readonly runMs?: number;
  /** What a run ends with instead, if it says something. */
  readonly fails?: (run: number) => Outcome | undefined;
  /** What its writes end with instead, if it says something. */
  readonly refuses?: (write: number) => Outcome | undefined;
}

interface Service {
  readonly need: Need;
  readonly addedMs: number;
  left: number;
  runs: number;
  /** Also those that were refused. */
  writes: number;
  doneMs?: number;
}

/** levelset beside that Octavia: the queue of `serve`, with runs that write once each. */
export class BusyProcess {
  readonly load = new OctaviaLoad(clock);
  readonly parked: ParkedKeys;
  readonly queue: MemoryQueue;
  readonly services = new Map<Key, Service>();
  /** Called when a run of a key begins. */
  began: (key: Key) => void = () => undefined;
  /** Lists fail while it is true. */
  isBlind = false;
  readonly #octavia: BusyOctavia;
  readonly #poller: PendingPoller;
  readonly #there = new Set<string>();

  constructor(octavia: BusyOctavia, { holdsBack = true, concurrency = 15 } = {}) {
    this.#octavia = octavia;
    this.parked = new ParkedKeys({ load: this.load, clock });
    this.parked.join(undefined, (request) => {
      this.queue.goOn(request);
    });
    this.#poller = new PendingPoller({
      cloud: { list: () => this.#list(), get: () => Promise.resolve(undefined) },
      cluster: () => Promise.resolve({ id: 'uid', name: 'kubernetes' }),
      memory: newMemory(),
      clock,
      random: () => 0.5,
      log: { warn: () => undefined },
      looked: (look) => {
        this.parked.looked(look);
      },
      ready: (request) => {
        this.queue.add(request);
      },
    });
    this.queue = new MemoryQueue({
      clock,
      waiting: this.#poller,
      ...(holdsBack && { parked: this.parked }),
      concurrency,
      random: () => 0.5,
      isNew: (key) => (this.services.get(key)?.runs ?? 0) === 0 && key.includes('new'),
      run: (request) => this.#run(request),
    });
  }

  /** Keys that wait for their load balancers. */
  get waiting(): number {
    return this.#poller.size;
  }

  get done(): readonly Key[] {
    return [...this.services].filter(([, { doneMs }]) => doneMs !== undefined).map(([key]) => key);
  }

  /** How long the named Services took, in ascending order. */
  took(name = ''): readonly number[] {
    const done = [...this.services].filter(([key]) => key.includes(name));
    const times = done.flatMap(([, { addedMs, doneMs }]) => (doneMs === undefined ? [] : [doneMs - addedMs]));
    return times.sort((a, b) => a - b);
  }

  add(names: readonly string[], need: Need = {}, trigger: Trigger = 'audit'): void {
    for (const name of names) {
      const [last = '', namespace = 'shop'] = name.split('/').reverse();
      const key = serviceKey(namespace, last);
      this.services.set(key, { need, addedMs: Date.now(), left: need.writes ?? 1, runs: 0, writes: 0 });
      this.queue.add({ key, trigger });
    }
  }

  hint(key: Key, trigger: Trigger = 'watch'): void {
    this.queue.add({ key, trigger });
  }

  async #list() {
    await sleep(50);
    if (this.isBlind) throw new Error('503');
    return [...this.#there].map((id) => ({
      id,
      provisioning_status: this.#octavia.isBusy(id) ? 'PENDING_UPDATE' : 'ACTIVE',
    }));
  }

  async #run(request: ReconcileRequest): Promise<Report> {
    const { key, mayBegin } = request;
    const service = this.services.get(key);
    if (!service) throw new Error(`nobody added ${key}`);
    const { need } = service;
    const { verb = 'update', workMs = 2 * SECOND, runMs = RUN_MS } = need;
    service.runs += 1;
    this.began(key);
    await sleep(runMs);
    const durationMs = runMs;
    const id = need.loadBalancer ?? key;
    const failure = need.fails?.(service.runs);
    if (failure) return aReport(request, failure, { durationMs });
    const about = { durationMs, ...(this.#there.has(id) && { loadBalancerId: id }) };
    if (this.#octavia.isBusy(id)) return aReport(request, progressing(700, id), about);
    if (service.left === 0) {
      service.doneMs ??= Date.now();
      if (verb === 'delete') this.#there.delete(id);
      return aReport(request, SETTLED, about);
    }
    if (mayBegin === false && !need.members) {
      const needsRoom = verb === 'create' ? ('create' as const) : ('change' as const);
      return aReport(
        request,
        { status: 'progressing', reason: 'room', retryAfterMs: 1_000, needsRoom },
        about,
      );
    }
    service.writes += 1;
    const refusal = need.refuses?.(service.writes);
    if (refusal) return aReport(request, refusal, about);
    service.left -= 1;
    this.#there.add(id);
    this.#octavia.begin(id, workMs);
    const step = need.members
      ? { verb: 'members', kind: 'pool', address: `pool/${service.left}` }
      : { verb, kind: 'loadbalancer', address: `lb/${service.left}` };
    const applied = [step] as unknown as Report['applied'];
    return aReport(request, progressing(2_000, id), { ...about, applied, loadBalancerId: id });
  }
}

export const named = (count: number, name = 'new'): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at}`);
