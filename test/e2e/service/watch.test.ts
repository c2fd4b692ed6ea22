/** `serve --watch` where no webhook comes: an address and a joined Node as soon as with the webhook. */
import { expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  kubectl,
  leaveCluster,
  joinCluster,
  serviceGone,
  startLevelset,
  treeOf,
  until,
  type Levelset,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-watch-1'], servers: ['e2e-watch-2'], levelsetByTest: true });

const WAYS = {
  'the webhook': () => startLevelset(),
  // the lab's apiserver sends its events to another port
  '--watch': () => startLevelset({ listen: '127.0.0.1:18089', args: ['--watch'] }),
} satisfies Readonly<Record<string, () => Promise<Levelset>>>;

interface Times {
  readonly address: number;
  readonly member: number;
}

it('gives an address and takes a new Node as quickly as the webhook', { timeout: 300_000 }, async () => {
  const times: Record<string, Times> = {};
  for (const [way, start] of Object.entries(WAYS)) {
    const levelset = await start();
    times[way] = await timesOf(way);
    await kubectl(['-n', world.namespace, 'delete', 'service', 'web', '--wait=false']);
    await serviceGone(world.namespace, 'web');
    await levelset.stop();
  }
  const shown = Object.entries(times).map(
    ([way, { address, member }]) => `${way}: address ${address} ms, member ${member} ms`,
  );
  console.log(shown.join('; '));
  const [webhook, watch] = [times['the webhook'], times['--watch']];
  if (!webhook || !watch) throw new Error('nothing was measured');
  // a busy machine takes several seconds more or less for either
  expect(watch.address).toBeLessThan(webhook.address + 10_000);
  expect(watch.member).toBeLessThan(webhook.member + 10_000);
});

async function timesOf(way: string): Promise<Times> {
  const [joining] = world.servers;
  if (!joining) throw new Error('no server');
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // the sweep at start is over
  const began = Date.now();
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  await addressOf(world.namespace, 'web');
  const address = Date.now() - began;
  const joined = Date.now();
  await joinCluster(joining);
  await until(
    `${way}: two members`,
    async () => (await treeOf(world.namespace, 'web')).pools[0]?.members.length === 2,
  );
  const member = Date.now() - joined;
  await leaveCluster(joining.name);
  return { address, member };
}
