/** What a process does while it leads: sweeps and runs, of each Service one at a time, and one at a time of those that share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { timeBudget } from '../../../functions/budget.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import type { Life, Machine } from './machine.ts';
import type { RunMark } from './watch.ts';

const BUDGET_MS = 60_000;
/** So often a run is requeued that does not come to its end; Octavia may hold its lock for several of them at each write. */
const MOST_RUNS = 60;
const LANE = 'those that share';

export type ReadDetails = ReconcileRequest | 'sweep';

const RUNS = new AsyncLocalStorage<RunMark>();

/** The run that asks. */
export const runOfNow = (): RunMark | undefined => RUNS.getStore();

export class Work {
  readonly #identity: string;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #life: Life;
  readonly #stopping = new AbortController();
  /** By key, and of the group: the last one that runs, or waits. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Keys that wait for a run to begin. */
  readonly #waiting = new Set<string>();
  #ahead = 0;

  constructor(identity: string, world: World, machine: Machine, life: Life) {
    this.#identity = identity;
    this.#world = world;
    this.#machine = machine;
    this.#life = life;
  }

  get idle(): boolean {
    return this.#ahead === 0;
  }

  look(request: ReadDetails, inMs = 0, again = 0): void {
    this.#ahead += 1;
    void this.#look(request, inMs, again).finally(() => (this.#ahead -= 1));
  }

  /** Begins nothing any more, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#turns.values());
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #look(request: ReadDetails, inMs: number, again: number): Promise<void> {
    if (inMs > 0) await this.#machine.pause(inMs, this.#life, this.#stopping.signal);
    const key = request === 'sweep' ? request : request.key;
    if (this.#isStopped || this.#waiting.has(key)) return;
    this.#waiting.add(key);
    const run = async (): Promise<void> => {
      this.#waiting.delete(key);
      if (this.#isStopped) return;
      await (request === 'sweep' ? this.#sweep() : this.#run(request, again));
    };
    const isInLane = request !== 'sweep' && request.inGroup === true;
    await this.#inTurn(key, isInLane ? () => this.#inTurn(LANE, run) : run);
  }

  #inTurn(of: string, run: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(of) ?? Promise.resolve()).then(run);
    this.#turns.set(of, turn);
    return turn;
  }

  async #sweep(): Promise<void> {
    const remainingMs = (): number => (this.#isStopped ? 0 : Infinity);
    const { requests, failed, retryAfterMs = 0 } = await sweep(this.#world, {}, { remainingMs });
    for (const request of requests) this.look(request);
    if (failed === undefined) return;
    this.#machine.its.tell(`${this.#identity} fails to sweep: ${failed}`);
    this.look('sweep', Math.max(1_000, Math.min(retryAfterMs, 5_000)));
  }

  async #run(request: ReconcileRequest, again: number): Promise<void> {
    const { watch, tell } = this.#machine.its;
    const name = request.key.split('/').at(-1) ?? '';
    const mark: RunMark = { of: name, since: watch.now, isOver: false };
    const budget = timeBudget(BUDGET_MS, { now: () => this.#machine.monotonic() }, this.#stopping.signal);
    const { outcome } = await RUNS.run(mark, () => reconcile(request, this.#world, budget));
    mark.isOver = true;
    tell(`${this.#identity} ends its run of ${name}: ${JSON.stringify(outcome)}`);
    if (outcome.status === 'settled' || outcome.status === 'blocked' || again === MOST_RUNS) return;
    const requeued = { ...request, trigger: 'requeue' } as const;
    if (outcome.status === 'progressing' && outcome.needsGroup)
      this.look({ ...request, inGroup: true }, 0, again + 1);
    else this.look(requeued, Math.max(100, Math.min(outcome.retryAfterMs, 5_000)), again + 1);
  }
}
