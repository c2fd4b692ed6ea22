/**
 * Users, operators and Nodes change everything at once while APIs of OpenStack fail, audit events are lost and levelset is
 * killed; then all is well again, and what stands in OpenStack is what Services ask for, compared by a program of its own.
 * `CHAOS_MINUTES=30` for a longer one, `CHAOS_SEED=N` for the same one again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { countCalls, kubectl, labResources, runLevelset, writes } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { deleteLoadBalancer, settled } from '../lab/load-balancer-waits.ts';
import { allListeners, cloud, loadBalancers, make, type Resource } from '../lab/openstack.ts';
import { ClusterNodes } from './cluster-nodes.ts';
import { compareAll, type Verdict } from './compare.ts';
import { Foreign } from './foreign.ts';
import { Forgotten } from './forgotten.ts';
import { Operators } from './operators.ts';
import { scriptOf, type Due } from './script.ts';
import { Tally } from './tally.ts';
import { Troubles } from './troubles.ts';
import { Users } from './users.ts';

const { CHAOS_SEED = String(Date.now() % 1_000_000), CHAOS_MINUTES = '5' } = process.env;
const SEED = Number(CHAOS_SEED);
const MINUTES = Number(CHAOS_MINUTES);
const SETTLES_WITHIN_MS = 300_000;
/** On a slow machine five minutes of edits took 6.5, and all of it 15. */
const TAKES_MS = 2 * MINUTES * 60_000 + SETTLES_WITHIN_MS + 300_000;

const world = labWorld({
  servers: ['e2e-chaos-1', 'e2e-chaos-2', 'e2e-chaos-3', 'e2e-chaos-4'],
  levelsetByTest: true,
  goneWithinMs: 120_000,
});
const foreign = new Foreign();
let troubles: Troubles | undefined;

/** Also after a failure: nothing stays, neither of people nor of levelset, whatever state the APIs were in. */
afterEach(async () => {
  if (!troubles) return;
  await troubles.allWell();
  await kubectl(['-n', world.namespace, 'delete', 'services', '--all', '--timeout=180s']).catch(
    console.error,
  );
  await foreign.remove();
  for (const lb of await loadBalancers())
    if (String(lb['name']).includes(world.namespace)) await deleteLoadBalancer(lb.id);
  await troubles.end();
  troubles = undefined;
});

it(`is level after ${MINUTES} minutes of chaos with the seed ${SEED}`, { timeout: TAKES_MS }, async () => {
  console.log(`chaos: CHAOS_SEED=${SEED} CHAOS_MINUTES=${MINUTES}`);
  const { namespace } = world;
  const own = await foreign.addLoadBalancer('chaos-own', [`levelset-allow=${namespace}`, 'team=edge']);
  await foreign.addLoadBalancer('chaos-foreign', ['team=edge']);
  await foreign.addFloatingIP();
  const all = (troubles = await Troubles.begin());
  const users = new Users(namespace, own);
  const nodes = new ClusterNodes(world.servers);
  const operators = new Operators(namespace, foreign);
  await nodes.begin();
  await users.begin();

  const tally = new Tally();
  const script = scriptOf(SEED, MINUTES);
  const began = Date.now();
  await Promise.all([
    play(script.users, began, tally, (edit) => [`kubectl: ${edit.does} a Service`, users.edit(edit)]),
    play(script.nodes, began, tally, (edit) => [`kubectl: ${edit.does} of a Node`, nodes.edit(edit)]),
    play(script.operators, began, tally, (edit) => [`OpenStack by hand: ${edit.does}`, operators.edit(edit)]),
    play(script.troubles, began, tally, (edit) => [troubleName(edit), all.edit(edit)]),
  ]);
  const lasted = Date.now() - began;

  await nodes.end();
  await all.allWell();
  await all.sweep();
  const ended = Date.now();
  const verdict = await settledWithin(SETTLES_WITHIN_MS, namespace);
  const settledMs = Date.now() - ended;
  const log = all.log();
  await all.stop();
  // what Octavia shows is what it was asked for, also while it is still at work on that
  await Promise.all((await loadBalancers()).map(({ id }) => settled(id)));
  const calls = await countCalls();
  const sweep = await runLevelset(['sweep'], { cloudConfig: all.cloudConfig });
  const written = writes(await calls.stop());
  const after = await compareAll(namespace, foreign);

  console.log(
    [
      `chaos with the seed ${SEED}: ${tally.total} edits in ${seconds(lasted)}`,
      ...tally.lines(),
      `settled ${seconds(settledMs)} after the last edit; one more sweep ended with ${sweep.code} and wrote ${written.length} times`,
      `${after.services} Services, ${after.loadBalanced} of them with a load balancer; ${after.attributes} attributes compared: ` +
        `${after.differences.length} differences, ${after.leaks.length} leaks`,
    ].join('\n'),
  );
  if (wrongIn(verdict).length > 0) console.log(await saidOf(namespace), log);
  expect(wrongIn(verdict)).toEqual([]);
  expect(wrongIn(after)).toEqual([]);
  expect({ code: sweep.code, written: written.map(({ method, path }) => `${method} ${path}`) }).toEqual({
    code: 0,
    written: [],
  });
  await seesWhatIsWrong(namespace, after);
});

const troubleName = (edit: {
  readonly does: string;
  readonly api?: string;
  readonly trouble?: unknown;
}): string =>
  edit.does === 'api'
    ? `trouble: ${edit.api ?? ''} ${String(edit.trouble)}`
    : `trouble: ${edit.does === 'kill' ? 'levelset killed' : 'audit webhook down'}`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed()} s`;
const wrongIn = ({ differences, leaks }: Verdict): readonly string[] => [
  ...differences,
  ...leaks.map((leak) => `left over: ${leak}`),
];

/** One after the other, each when it is due. What the lab does not take counts as missed. */
async function play<T>(
  script: readonly Due<T>[],
  began: number,
  tally: Tally,
  does: (edit: T) => [what: string, done: Promise<boolean>],
): Promise<void> {
  for (const { at, edit } of script) {
    await pause(Math.max(0, began + at - Date.now()));
    const [what, done] = does(edit);
    tally.count(
      what,
      await done.catch((error: unknown) => {
        console.error(`${what}: ${String(error)}`);
        return false;
      }),
    );
  }
}

/** What the Services say of themselves, for whoever looks for the cause. */
async function saidOf(namespace: string): Promise<string> {
  const columns = 'NAME:.metadata.name,TYPE:.spec.type,SAYS:.status.conditions[*].message';
  return kubectl(['-n', namespace, 'get', 'services', '-o', `custom-columns=${columns}`]);
}

/** The first comparison without a difference, or the last one. While levelset is at work, what was listed may be gone when it is read. */
async function settledWithin(ms: number, namespace: string): Promise<Verdict> {
  const end = Date.now() + ms;
  const forgotten = new Forgotten(namespace);
  for (;;) {
    for (const id of await forgotten.free())
      console.log(`Octavia's worker forgot load balancer ${id}; whoever runs the cloud has freed it`);
    const isOver = Date.now() > end;
    const verdict = await compareAll(namespace, foreign).catch((error: unknown) => {
      if (isOver) throw error;
      return undefined;
    });
    if (verdict && (isOver || wrongIn(verdict).length === 0)) return verdict;
    await pause(2_000);
  }
}

/** A comparison that finds nothing could also be one that looks at nothing: two things are put wrong by hand. */
async function seesWhatIsWrong(namespace: string, before: Verdict): Promise<void> {
  expect(before.loadBalanced).toBeGreaterThan(0);
  const ours = (await allListeners()).find(
    ({ id, name }) => String(name).includes(namespace) && !foreign.has(id),
  );
  const lb = (ours?.['loadbalancers'] as Resource[] | undefined)?.[0]?.id ?? '';
  const limit = { listener: { connection_limit: 13 } };
  await cloud().must('load-balancer', 'PUT', `/v2.0/lbaas/listeners/${ours?.id ?? ''}`, limit);
  await settled(lb);
  const leak = await make('network', 'floatingip', { floating_network_id: labResources().public_network });
  try {
    const verdict = await compareAll(namespace, foreign);
    expect(verdict.differences).toEqual([expect.stringContaining('connection_limit is 13, not')]);
    expect(verdict.leaks).toEqual([`floating IP ${leak.id}`]);
  } finally {
    await cloud().must('network', 'DELETE', `/v2.0/floatingips/${leak.id}`);
  }
}
