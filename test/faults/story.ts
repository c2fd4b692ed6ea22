/**
 * One story, killed at every write. Between the effect of one write and the sending of the next nothing changes, so "after
 * write n" and "before write n+1" leave the same world behind: each of these moments is tried once, alternately as the one
 * or the other.
 */
import { availableParallelism } from 'node:os';
import { exitCode, runRequests } from '../../functions/cli/requests.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import { sweep } from '../../shared/sweep.ts';
import type { Program, RunningProgram } from '../support/levelset-program.ts';
import { picture } from '../support/picture.ts';
import { startSandboxWorld, type SandboxWorld } from '../support/sandbox-world.ts';

export interface Story {
  readonly name: string;
  /** What was there and settled before. */
  readonly before?: (it: SandboxWorld) => void | Promise<void>;
  readonly act: (it: SandboxWorld) => void;
  /** At which writes it is killed, when not at all of them. */
  readonly only?: RegExp;
  /** What is wrong just now, asked after every write of it. */
  readonly watch?: (it: SandboxWorld) => readonly string[];
}

/** The process of this sweep dies at this write of it; both count from 1. */
interface Kill {
  readonly sweep: number;
  readonly write: number;
  readonly when: 'before' | 'after';
}

interface Ending {
  /** Of each sweep. */
  readonly writes: readonly (readonly string[])[];
  readonly world: readonly string[];
  readonly sweeps: number;
  /** What the watch saw. */
  readonly seen: readonly string[];
}

export interface Killed {
  /** How many times. */
  readonly kills: number;
  /** Worlds that differ from the one after a run without a kill. */
  readonly wrong: readonly object[];
  readonly seen: readonly string[];
}

const ENOUGH_SWEEPS = 25;
/**
 * All but settled records: whether a sweep writes one depends on how many seconds ago something changed. And all but the Leases
 * by which a process may write: those who come after the dead one need none.
 */
const COUNTED = /^(?!.*\/(configmaps\/levelset-state-|leases))/;

export async function killAtEveryWrite(story: Story, program: Program): Promise<Killed> {
  const whole = await tell(story, program);
  const kills = whole.writes.flatMap((writes, at) => momentsOf(at + 1, writes, story.only));

  const endings = await inParallel(kills, availableParallelism() + 1, (kill) => tell(story, program, kill));

  const sweeps = whole.sweeps + endings.reduce((sum, ending) => sum + ending.sweeps, 0);
  const writes = whole.writes.flat().length;
  console.log(`kill -9, ${story.name}: ${writes} writes, ${kills.length} kills, ${sweeps} sweeps`);
  const wrong = endings.flatMap(({ world }, at) => {
    if (JSON.stringify(world) === JSON.stringify(whole.world)) return [];
    const where = JSON.stringify(kills[at]);
    return [
      {
        where,
        extra: world.filter((line) => !whole.world.includes(line)),
        missing: whole.world.filter((line) => !world.includes(line)),
        lines: world.length,
      },
    ];
  });
  return { kills: kills.length, wrong, seen: [whole, ...endings].flatMap(({ seen }) => seen) };
}

/** Before the first write of a sweep, then every moment after one: as "after it", or as "before the next one". */
function momentsOf(n: number, writes: readonly string[], only = /./): readonly Kill[] {
  return writes.flatMap((path, at): readonly Kill[] => {
    const after: Kill = { sweep: n, write: at + 1, when: 'after' };
    const beforeNext: Kill = { sweep: n, write: at + 2, when: 'before' };
    const moment = at % 2 === 1 && at + 1 < writes.length ? beforeNext : after;
    if (!only.test(path)) return [];
    return at === 0 ? [{ ...after, when: 'before' }, moment] : [moment];
  });
}

type Start = () => RunningProgram;
type SweepOnce = () => Promise<{ readonly code: number | undefined; readonly output: string }>;

/** The story in a world of its own, with sweeps until there is nothing left to do. */
async function tell(story: Story, program: Program, kill?: Kill): Promise<Ending> {
  const it = await startSandboxWorld({ pendingMs: 0 });
  try {
    // Watermarks leave out what changed a moment ago: here everything changed a minute ago.
    it.sandbox.advanceClock(-60_000);
    if (story.before) {
      await story.before(it);
      await it.settle('web');
      await it.settle('web');
    }
    story.act(it);
    const seen: string[] = [];
    const start: Start = () =>
      program.start(['sweep', '--kubeconfig', it.kubeconfig, '--cloud-config', it.cloudConfig]);
    const watch = (): void => {
      seen.push(...(story.watch?.(it) ?? []));
    };
    if (kill) await dieAt(kill, it, start, watch);
    it.sandbox.fault({ match: { write: true }, kind: 'call', times: Infinity, after: watch });
    const writes = await sweepUntilDone(it, kill ? () => asNewProcess(it) : () => start().ended);
    return { writes, world: picture(it.sandbox), sweeps: writes.length + (kill ? 1 : 0), seen };
  } finally {
    await it.close();
  }
}

/** `levelset sweep` of somebody who remembers nothing: what the program knows it keeps by its clients, and these are new. */
async function asNewProcess(it: SandboxWorld): ReturnType<SweepOnce> {
  const world = await it.another();
  const found = await sweep(world);
  if (found.failed !== undefined) return { code: 1, output: found.failed };
  const reports = await runRequests(found.requests, world);
  return { code: exitCode(reports), output: JSON.stringify(reports.map(({ outcome }) => outcome)) };
}

/** Dies in a process of its own. The sweeps before that one are nothing special. */
async function dieAt(
  { sweep: n, write, when }: Kill,
  it: SandboxWorld,
  start: Start,
  watch: () => void,
): Promise<void> {
  for (let before = 1; before < n; before += 1) {
    await asNewProcess(it);
  }
  const fatal: { running?: RunningProgram; killed: boolean } = { killed: false };
  const die = async (): Promise<void> => {
    fatal.killed = true;
    fatal.running?.process.kill('SIGKILL');
    await fatal.running?.ended;
  };
  const clear = it.sandbox.fault({
    match: { write: true, path: COUNTED, nth: write },
    kind: 'call',
    [when]: die,
  });
  fatal.running = start();
  const { output } = await fatal.running.ended;
  clear();
  watch();
  if (!fatal.killed) throw new Error(`write ${write} of sweep ${n} was never reached: ${output}`);
}

/** What each sweep wrote. */
async function sweepUntilDone(it: SandboxWorld, once: SweepOnce): Promise<readonly (readonly string[])[]> {
  const writes: string[][] = [];
  for (;;) {
    const seen = it.sandbox.requests.length;
    const { code, output } = await once();
    const written = it.sandbox.requests.slice(seen).filter(({ write, path }) => write && COUNTED.test(path));
    writes.push(written.map(({ method, path }) => `${method} ${path}`));
    if (code === 0) return writes;
    if (writes.length === ENOUGH_SWEEPS) throw new Error(`not done after ${ENOUGH_SWEEPS} sweeps: ${output}`);
  }
}
