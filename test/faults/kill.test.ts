/**
 * kill -9 at every write of four stories. The first run of a story, without a kill, says which writes there are and how
 * the world looks afterwards; then for each write the program is killed in a world of its own, and sweeps by new
 * processes must lead to the very same world.
 *
 * Between the effect of one write and the sending of the next nothing changes, so "after write n" and "before write n+1"
 * leave the same world behind: each of these moments is tried once, as the one or the other by turns.
 */
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inParallel } from '../../functions/in-parallel.ts';
import { replacementApproval } from '../../shared/plan/replacement.ts';
import { sweep } from '../../shared/sweep.ts';
import { buildProgram } from '../support/levelset-program.ts';
import type { Program, RunningProgram } from '../support/levelset-program.ts';
import { picture } from '../support/picture.ts';
import { runAll, startSandboxWorld } from '../support/sandbox-world.ts';
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';

interface Story {
  readonly name: string;
  /** What was there and settled before. */
  readonly before?: (it: SandboxWorld) => void;
  readonly act: (it: SandboxWorld) => void;
  /** At which writes it is killed, when not at all of them. */
  readonly only?: RegExp;
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
  /** By processes of their own. */
  readonly sweeps: number;
}

const PORTS = [
  { name: 'http', port: 80 },
  { name: 'https', port: 443 },
];
const apply = (it: SandboxWorld, ports: readonly object[] = PORTS): void => {
  it.sandbox.kube.apply(aService({ spec: { ports } }));
};

const STORIES: readonly Story[] = [
  { name: 'create', act: apply },
  {
    name: 'change',
    // what it writes to Kubernetes is as in the other stories
    only: / \/(load-balancer|network)\//,
    before: apply,
    act: (it) => {
      apply(it, [...PORTS, { name: 'dns', port: 53, protocol: 'UDP' }]);
      it.sandbox.kube.addNode('node-9');
    },
  },
  {
    name: 'another load balancer, approved',
    before: apply,
    act: approveFlavor,
  },
  {
    name: 'delete',
    before: apply,
    act: (it) => {
      it.sandbox.kube.delete('Service', 'default', 'web');
    },
  },
];

const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };

/** Another flavor, approved: which hash that takes, only this load balancer and this Service know. */
function approveFlavor(it: SandboxWorld): void {
  const [lb] = it.sandbox.cloud.loadbalancers;
  const { uid = '' } = it.sandbox.kube.get('Service', 'default', 'web')?.metadata ?? {};
  const change = { attribute: 'flavor_id', from: null, to: LARGE.id };
  it.sandbox.cloud.flavors.push(LARGE);
  const annotations = {
    'loadbalancer.openstack.org/flavor-id': LARGE.id,
    'levelset.openstack.org/approve': replacementApproval(uid, lb?.id ?? '', [change]),
  };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: PORTS } }));
}

const ENOUGH_SWEEPS = 25;
let program: Program;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());

test.each(STORIES)(
  'killed at any write of $name, sweeps end in the same world',
  async (story) => {
    const whole = await tell(story);
    expect(whole.world).toMatchSnapshot();
    const kills = whole.writes.flatMap((writes, at) => momentsOf(at + 1, writes, story.only));

    const endings = await inParallel(kills, availableParallelism() + 1, (kill) => tell(story, kill));

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
    expect(wrong).toEqual([]);
  },
  120_000,
);

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

/** The story in a world of its own, with sweeps until there is nothing left to do. */
async function tell(story: Story, kill?: Kill): Promise<Ending> {
  const it = await startSandboxWorld({ pendingMs: 0 });
  try {
    // Watermarks leave out what changed a moment ago: here everything changed a minute ago.
    it.sandbox.advanceClock(-60_000);
    if (story.before) {
      story.before(it);
      await it.settle('web');
      await it.settle('web');
    }
    story.act(it);
    if (kill) await dieAt(kill, it);
    const writes = await sweepUntilDone(it);
    return { writes, world: picture(it.sandbox), sweeps: writes.length + (kill ? 1 : 0) };
  } finally {
    await it.close();
  }
}

/** The sweeps before the fatal one are nothing special: they need no process of their own. */
async function dieAt({ sweep: n, write, when }: Kill, it: SandboxWorld): Promise<void> {
  for (let before = 1; before < n; before += 1) {
    const world = await it.another();
    await runAll(await sweep(world), world);
  }
  const fatal: { running?: RunningProgram; killed: boolean } = { killed: false };
  const die = async (): Promise<void> => {
    fatal.killed = true;
    fatal.running?.process.kill('SIGKILL');
    await fatal.running?.ended;
  };
  const clear = it.sandbox.fault({ match: { write: true, nth: write }, kind: 'call', [when]: die });
  fatal.running = startSweep(it);
  const { output } = await fatal.running.ended;
  clear();
  if (!fatal.killed) throw new Error(`write ${write} of sweep ${n} was never reached: ${output}`);
  it.sandbox.advanceClock(20_000); // the dead holder's lease runs out
}

/** What each sweep wrote. */
async function sweepUntilDone(it: SandboxWorld): Promise<readonly (readonly string[])[]> {
  const writes: string[][] = [];
  for (;;) {
    const seen = it.sandbox.requests.length;
    const { code, output } = await startSweep(it).ended;
    const written = it.sandbox.requests.slice(seen).filter(({ write }) => write);
    writes.push(written.map(({ method, path }) => `${method} ${path}`));
    if (code === 0) return writes;
    if (writes.length === ENOUGH_SWEEPS) throw new Error(`not done after ${ENOUGH_SWEEPS} sweeps: ${output}`);
  }
}

function startSweep(it: SandboxWorld): RunningProgram {
  return program.start(['sweep', '--kubeconfig', it.kubeconfig, '--cloud-config', it.cloudConfig]);
}
