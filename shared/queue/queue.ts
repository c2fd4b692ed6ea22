import { makesLoadBalancer } from '../model/load-balancer/octavia.ts';
import type { Outcome, Report } from '../model/outcome.ts';
import { isByPerson, isByEvent, type Key, type ReconcileRequest } from '../model/request.ts';
import type { Budget, Clock } from '../ports.ts';
import type { BusyLoadBalancers } from './busy-load-balancers.ts';
import {
  Attempts,
  isBefore,
  moreUrgent,
  PRIORITY,
  requeueDelayMs,
  type Priority,
  Ready,
  flowOf,
  type Wanted,
} from './scheduling.ts';
import type { Claimant, Slots } from './slots.ts';

export type MayCreate = NonNullable<Budget['mayCreate']>;

export interface QueueOptions {
  /** Runs one key; a rejection requeues it. `mayCreate` takes a slot for a load balancer that the run is to make: false where none is free. */
  readonly run: (request: ReconcileRequest, mayCreate: MayCreate) => Promise<Report>;
  /** How many keys of one kind run at once: Services, Nodes, and the routes each have slots of their own. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Keeps the keys that wait for a load balancer. Without it they are requeued after their own delay. */
  readonly busy?: Pick<BusyLoadBalancers, 'wait' | 'forget'>;
  /** Without it nothing waits for a slot. */
  readonly slots?: Slots;
  /** [0, 1), for the jitter. */
  readonly random?: () => number;
}

/** From the start of a run of a key to the next one that an event or a sweep asks for. */
export const SPACING_MS = 500;

const REJECTED: Outcome = { status: 'failed', code: 'UNEXPECTED_RESPONSE', message: '', retryAfterMs: 0 };

/** idle: nobody wants it. delayed: it is ready at a time. busy: its load balancer is at work. slot: it waits for a slot. */
type Phase = 'idle' | 'delayed' | 'ready' | 'processing' | 'busy' | 'slot';

/** What the queue knows of one key. */
interface State extends Wanted, Claimant {
  phase: Phase;
  priority: Priority;
  sinceMs: number;
  /** What its next run is for. */
  request?: ReconcileRequest | undefined;
  /** Somebody added it while it was processing. */
  dirty?: ReconcileRequest | undefined;
  /** Its runs since it was settled last. */
  attempts?: Attempts | undefined;
  startedMs: number;
  /** Its last run failed. */
  hasFailed: boolean;
  /** It is among those that share load balancers, since a run has said so; until it is settled. */
  inGroup: boolean;
  /** Of a delayed key. */
  dueMs: number;
  timer?: NodeJS.Timeout;
}

interface Group {
  readonly ready: Ready<State>;
  readonly most: number;
  running: number;
}

/** The group of the keys that share load balancers. */
const SHARED = 'shared';

/**
 * The work queue of one cluster, with the words and the semantics of client-go's: a key is in it once, and never processed twice at a
 * time; one that is added while it is processing is dirty, and runs once more. A key whose run ended as progressing or failed is
 * delayed, or waits for its load balancer: the longer the more of its runs made no progress, until it is settled, or something
 * else is desired. Events and sweeps run a key twice a second at most. One that is to make a load balancer waits for a slot (Slots).
 * Each kind of key has a group, and those that share load balancers have one in which they take turns.
 */
export class Queue {
  readonly #options: QueueOptions;
  readonly #states = new Map<Key, State>();
  readonly #groups = new Map<string, Group>();
  readonly #random: () => number;
  #stopped: PromiseWithResolvers<undefined> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /**
   * Queues a key. What is wanted earlier stays so. A sweep adds nothing to a key that is queued, or comes back by itself. After `stop`
   * nothing is queued.
   */
  add(request: ReconcileRequest, delayMs = 0): void {
    if (this.#stopped) return;
    const state = this.#stateOf(request);
    if (state.phase === 'processing') {
      state.dirty = moreUrgent(state.dirty, request);
      return;
    }
    if (request.trigger === 'sweep' && state.phase !== 'idle') return;
    const isSpaced = request.trigger !== 'requeue' && !isByPerson(request);
    // what fails stays delayed, whatever events come; an event of any other key begins anew
    if (isByPerson(request) || (isByEvent(request) && !state.hasFailed)) state.attempts = undefined;
    const spacedMs = isSpaced ? state.startedMs + SPACING_MS - this.#options.clock.now() : 0;
    this.#want(state, request, Math.max(delayMs, spacedMs));
  }

  /** Number of keys that are ready or delayed, or wait, without the running ones. */
  get depth(): number {
    const waits = ({ phase }: State): boolean => phase !== 'idle' && phase !== 'processing';
    return [...this.#states.values()].filter(waits).length;
  }

  get running(): number {
    return [...this.#groups.values()].reduce((sum, { running }) => sum + running, 0);
  }

  /** How long the oldest key that is ready or waits for a slot has waited, in milliseconds. */
  oldestAgeMs(): number {
    const now = this.#options.clock.now();
    const waiting = [...this.#states.values()].filter(({ phase }) => phase === 'ready' || phase === 'slot');
    return now - waiting.reduce((oldest, { sinceMs }) => Math.min(oldest, sinceMs), now);
  }

  /** Forgets what is queued, and resolves when the running keys have ended. */
  stop(): Promise<void> {
    this.#stopped ??= Promise.withResolvers();
    for (const state of this.#states.values()) if (state.phase !== 'processing') this.#forget(state);
    this.#tellStopped();
    return this.#stopped.promise;
  }

  #want(state: State, request: ReconcileRequest, delayMs: number): void {
    const dueMs = this.#options.clock.now() + Math.max(0, delayMs);
    const isEarlier = state.phase === 'ready' || (state.phase === 'delayed' && state.dueMs <= dueMs);
    state.request = moreUrgent(state.request, request);
    const priority = this.#priorityOf(state, state.request);
    if (state.phase === 'ready' && isBefore(priority, state.priority)) {
      this.#groupOf(state).ready.delete(state);
      state.priority = priority;
      this.#groupOf(state).ready.put(state);
    }
    if (isEarlier) return;
    clearTimeout(state.timer);
    if (state.phase === 'busy') this.#options.busy?.forget(state.key);
    if (delayMs <= 0) this.#makeReady(state, priority);
    else this.#delay(state, dueMs);
  }

  #delay(state: State, dueMs: number): void {
    state.phase = 'delayed';
    state.dueMs = dueMs;
    state.timer = setTimeout(() => {
      if (state.request) this.#makeReady(state, this.#priorityOf(state, state.request));
    }, dueMs - this.#options.clock.now()).unref();
  }

  #makeReady(state: State, priority: Priority): void {
    if (state.phase !== 'slot') state.sinceMs = this.#options.clock.now();
    state.phase = 'ready';
    state.priority = priority;
    this.#groupOf(state).ready.put(state);
    this.#start(this.#groupOf(state));
  }

  #start(group: Group): void {
    while (!this.#stopped && group.running < group.most) {
      const next = group.ready.take();
      if (!next) return;
      group.running += 1;
      this.#process(next, group);
    }
  }

  #process(state: State, group: Group): void {
    const { run, slots, clock } = this.#options;
    if (!state.request) throw new Error(`nobody wants ${state.key}`);
    const request: ReconcileRequest = { ...state.request, ...(state.inGroup && { inGroup: true }) };
    state.phase = 'processing';
    state.request = undefined;
    state.startedMs = clock.now();
    const ended = (report?: Report): void => {
      group.running -= 1;
      this.#ended(state, request, report);
      this.#start(group);
      this.#tellStopped();
    };
    run(request, () => slots?.take(state) ?? true).then(ended, () => {
      ended();
    });
  }

  #ended(state: State, request: ReconcileRequest, report: Report | undefined): void {
    const outcome = report?.outcome ?? REJECTED;
    const attempts = (state.attempts ??= new Attempts(request.trigger));
    const idleRuns = attempts.note(report ?? { outcome, applied: [] });
    const delayMs = requeueDelayMs(outcome, idleRuns, this.#random);
    if (delayMs === undefined) state.attempts = undefined;
    state.hasFailed = outcome.status === 'failed';
    state.phase = 'idle';
    const { dirty } = state;
    state.dirty = undefined;
    const waits = outcome.status === 'progressing' ? outcome : undefined;
    if (this.#stopped || !waits) this.#options.slots?.leave(state);
    if (this.#stopped) return;
    const requeue: ReconcileRequest = { ...request, trigger: 'requeue' };
    if (waits?.needsSlot) {
      Object.assign(state, { phase: 'slot', request: requeue });
      this.#options.slots?.wait(state); // which may have it go on at once
    } else if (waits?.waitingFor !== undefined) this.#options.slots?.hold(state);
    const isAdded = dirty && (delayMs === undefined || dirty.trigger !== 'sweep');
    if (waits?.needsGroup) {
      state.inGroup = true;
      this.#want(state, request, 0);
    }
    if (isAdded) this.add(dirty);
    if (waits?.needsSlot || !isIdle(state)) return;
    if (delayMs === undefined) {
      if (!isAdded) this.#settle(state);
    } else if (waits?.waitingFor !== undefined && report && this.#options.busy) {
      if (!isAdded) this.#waitForOctavia(state, requeue, report, idleRuns === 0 ? 0 : delayMs);
    } else this.#want(state, requeue, Math.max(1, delayMs));
  }

  #settle(state: State): void {
    const leftMs = state.startedMs + SPACING_MS - this.#options.clock.now();
    state.timer = setTimeout(() => this.#states.delete(state.key), Math.max(0, leftMs)).unref();
  }

  #waitForOctavia(state: State, requeue: ReconcileRequest, report: Report, leastMs: number): void {
    state.phase = 'busy';
    state.request = requeue;
    this.#options.busy?.wait(report, leastMs, () => {
      // what is left to do needs no slot
      if (makesLoadBalancer({ steps: report.applied })) this.#options.slots?.leave(state);
      if (state.phase === 'busy') this.#makeReady(state, this.#priorityOf(state, requeue));
    });
  }

  #stateOf(request: ReconcileRequest): State {
    const { key, cluster = '' } = request;
    const known = this.#states.get(key);
    if (known?.phase === 'idle') clearTimeout(known.timer);
    const state: State = known ?? {
      key,
      flow: `${cluster}/${flowOf(key)}`,
      begin: () => {
        const goesOn: ReconcileRequest = { ...request, trigger: 'requeue' };
        if (state.phase === 'processing') state.dirty = moreUrgent(state.dirty, goesOn);
        else this.#want(state, goesOn, 0);
      },
      phase: 'idle',
      priority: 'background',
      sinceMs: 0,
      startedMs: -Infinity,
      hasFailed: false,
      inGroup: request.inGroup === true,
      dueMs: 0,
    };
    this.#states.set(key, state);
    return state;
  }

  #priorityOf({ attempts, phase }: State, { trigger }: ReconcileRequest): Priority {
    if (phase === 'slot') return 'soon';
    return trigger === 'requeue' ? (attempts?.priority ?? 'background') : PRIORITY[trigger];
  }

  #groupOf({ key, inGroup }: State): Group {
    const name = inGroup ? SHARED : (key.split('/')[0] ?? '');
    const most = inGroup ? 1 : this.#options.concurrency;
    const group = this.#groups.get(name) ?? { ready: new Ready<State>(), most, running: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #forget(state: State): void {
    clearTimeout(state.timer);
    this.#options.busy?.forget(state.key);
    this.#groupOf(state).ready.delete(state);
    this.#states.delete(state.key);
    this.#options.slots?.leave(state);
  }

  #tellStopped(): void {
    if (this.#stopped && this.running === 0) this.#stopped.resolve(undefined);
  }
}

/** Whether the key neither runs nor is about to. */
function isIdle({ phase }: State): boolean {
  return phase === 'idle' || phase === 'delayed';
}
