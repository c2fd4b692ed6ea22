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

/** It works until it is stopped. */
export function startWork(identity: string, world: World, machine: Machine, life: Life) {
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  /** By key, and of the group: the last one that runs, or waits. */
  const turns = new Map<string, Promise<void>>();
  /** Keys that wait for a run to begin. */
  const waiting = new Set<string>();
  let ahead = 0;

  const inTurn = (of: string, run: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(of) ?? Promise.resolve()).then(run);
    turns.set(of, turn);
    return turn;
  };
  const look = (request: ReadDetails, inMs = 0, again = 0): void => {
    ahead += 1;
    void lookIn(request, inMs, again).finally(() => (ahead -= 1));
  };
  const lookIn = async (request: ReadDetails, inMs: number, again: number): Promise<void> => {
    if (inMs > 0) await machine.pause(inMs, life, stopping.signal);
    const key = request === 'sweep' ? request : request.key;
    if (isStopped() || waiting.has(key)) return;
    waiting.add(key);
    const run = async (): Promise<void> => {
      waiting.delete(key);
      if (isStopped()) return;
      await (request === 'sweep' ? sweepAll() : runOne(request, again));
    };
    const isInLane = request !== 'sweep' && request.inGroup === true;
    await inTurn(key, isInLane ? () => inTurn(LANE, run) : run);
  };
  const sweepAll = async (): Promise<void> => {
    const remainingMs = (): number => (isStopped() ? 0 : Infinity);
    const { requests, failed, retryAfterMs = 0 } = await sweep(world, {}, { remainingMs });
    for (const request of requests) look(request);
    if (failed === undefined) return;
    machine.its.tell(`${identity} fails to sweep: ${failed}`);
    look('sweep', Math.max(1_000, Math.min(retryAfterMs, 5_000)));
  };
  const runOne = async (request: ReconcileRequest, again: number): Promise<void> => {
    const { watch, tell } = machine.its;
    const name = request.key.split('/').at(-1) ?? '';
    const mark: RunMark = { of: name, since: watch.now(), isOver: false };
    const budget = timeBudget(BUDGET_MS, { now: () => machine.monotonic() }, stopping.signal);
    const { outcome } = await RUNS.run(mark, () => reconcile(request, world, budget));
    mark.isOver = true;
    tell(`${identity} ends its run of ${name}: ${JSON.stringify(outcome)}`);
    if (outcome.status === 'settled' || outcome.status === 'blocked' || again === MOST_RUNS) return;
    const requeued = { ...request, trigger: 'requeue' } as const;
    if (outcome.status === 'progressing' && outcome.needsGroup)
      look({ ...request, inGroup: true }, 0, again + 1);
    else look(requeued, Math.max(100, Math.min(outcome.retryAfterMs, 5_000)), again + 1);
  };
  return {
    look,
    isIdle: (): boolean => ahead === 0,
    /** Begins nothing any more, and resolves when what is under way has ended. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(turns.values());
    },
  };
}
