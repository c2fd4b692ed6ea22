/** What a real Octavia left in ERROR is mended or rebuilt beside, at the same address. */
import { expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  kubectl,
  loadBalancersOf,
  readyOf,
  startLevelset,
  sweepUntilSettled,
  treeOf,
  uidOf,
  until,
  type Levelset,
  type Tree,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { labctl } from '../lab/labctl.ts';

const world = labWorld({ nodes: ['e2e-repair-1'], levelsetByTest: true });

const start = (): Promise<Levelset> => startLevelset({ cloudConfig: world.cloudConfig });
const deploy = (): Promise<string> => apply([aService(world.namespace, 'web')]);
const address = (): Promise<string> => addressOf(world.namespace, 'web');
const tree = (): Promise<Tree> => treeOf(world.namespace, 'web');
const isReady = async (): Promise<boolean> => (await readyOf(world.namespace, 'web'))?.status === 'True';
const owned = async () => loadBalancersOf(await uidOf(world.namespace, 'web'));

/** A load balancer a day is rebuilt in a world as small as this one, and each test has a day of its own. */
const forgetRepairs = () =>
  kubectl(['-n', 'levelset', 'delete', 'configmap', 'levelset-deletions', '--ignore-not-found']);

/** One sweep, and as many more as Octavia's work takes; the first one already fails nothing. */
async function level(): Promise<void> {
  const sweeps = await sweepUntilSettled({ cloudConfig: world.cloudConfig });
  console.log(`level after ${sweeps.length} sweeps`);
}

async function rebuiltBeside(old: string): Promise<void> {
  await until(
    'another load balancer',
    async () => {
      const [one, ...others] = await owned();
      return others.length === 0 && one?.id !== old && one?.['provisioning_status'] === 'ACTIVE';
    },
    { timeoutMs: 90_000 },
  );
}

it('a listener, a pool and a member that Octavia left in ERROR are configured anew', async () => {
  const levelset = await start();
  await deploy();
  const served = await address();
  const { listeners, pools } = await tree();
  const children: [table: string, id: string | undefined][] = [
    ['listener', listeners[0]?.id],
    ['pool', pools[0]?.id],
    ['member', pools[0]?.members[0]?.id],
  ];
  for (const [table, id] of children) await labctl('prov', table, id ?? '', 'ERROR');

  await levelset.resync({ objects: [`service/${world.namespace}/web`] });

  const statuses = async (): Promise<readonly unknown[]> => {
    const now = await tree();
    const all = [...now.listeners, ...now.pools, ...now.pools.flatMap(({ members }) => members)];
    return all.map(({ provisioning_status }) => provisioning_status);
  };
  await until('all to be ACTIVE', async () => (await statuses()).every((status) => status === 'ACTIVE'));
  await level();
  expect((await tree()).listeners.map(({ id }) => id)).toEqual([listeners[0]?.id]);
  expect([await address(), await isReady()]).toEqual([served, true]);
  expect((await owned()).length).toBe(1);
});

it('a load balancer in ERROR that serves nobody is rebuilt beside, and its floating IP stays', async () => {
  await forgetRepairs();
  const levelset = await start();
  await deploy();
  const served = await address();
  const before = await tree();
  const failed = (await owned())[0]?.id ?? '';
  await labctl('break', failed);

  await levelset.resync({ objects: [`service/${world.namespace}/web`] });

  await rebuiltBeside(failed);
  await level();
  const now = await tree();
  expect([await address(), await isReady()]).toEqual([served, true]);
  expect(now.pools.map(({ members }) => members.length)).toEqual(
    before.pools.map(({ members }) => members.length),
  );
});
