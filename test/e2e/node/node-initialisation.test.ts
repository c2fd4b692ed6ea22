/** Nodes that register become what OCCM made of such servers, and stay so. */
import { beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { labWorld } from '../lab/lab-world.ts';
import {
  countCalls,
  leaveCluster,
  nodeEvents,
  nodeOf,
  registerNode,
  UNINITIALIZED,
  until,
  type ApiCall,
  type LabNode,
} from '../lab/lab.ts';
import { asRecorded, madeOf, type MadeOfNode } from '../fixtures/recorded-node.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `e2e-init-${index}`);
const world = labWorld({ servers: TEN });
let first: LabNode;
beforeAll(() => {
  [first] = world.servers as [LabNode];
});

const initialised = (name: string): Promise<Node> =>
  until(`Node ${name} to be initialised`, async () => {
    const node = await nodeOf(name);
    return (node?.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED.key) ? undefined : node;
  });
const made = async (name: string): Promise<MadeOfNode> => madeOf(await initialised(name));

/** Nova lists ports in the name of who asks it, without a limit: those are not levelset's. */
const ofServers = (calls: readonly ApiCall[]): readonly string[] =>
  calls
    .filter(({ service, path }) => service === 'nova' || /ports\?.*limit=/.test(path))
    .map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

it('one Node is what OCCM made of such a one, for two calls each time that it is told of', async () => {
  await leaveCluster(first.name);
  const counter = await countCalls();
  const since = Date.now();
  await registerNode(first.name);
  await initialised(first.name);
  const ms = Date.now() - since;
  const calls = ofServers(await counter.stop());
  console.log(`one Node: ${ms} ms from its registration, ${calls.join(', ')}`);
  expect(await made(first.name)).toEqual(await asRecorded('rec-one', first));
  // a slow machine tells of the Node twice, more than a second apart: that is another look at the servers
  expect(calls.length).toBeLessThanOrEqual(4);
  await until('an Event', async () =>
    (await nodeEvents(first.name)).includes('Synced: Node synced successfully'),
  );
});

it('ten at once are, for fewer calls than each would cost alone', async () => {
  await Promise.all(TEN.map((name) => leaveCluster(name)));
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const counter = await countCalls();
  const since = Date.now();
  await Promise.all(world.servers.map(({ name, server }) => registerNode(name, { systemUUID: server })));
  await Promise.all(TEN.map((name) => initialised(name)));
  const ms = Date.now() - since;
  const calls = ofServers(await counter.stop());
  console.log(`ten Nodes: ${ms} ms from their registration, ${calls.join(', ')}`);

  for (const node of world.servers) expect(await made(node.name)).toEqual(await asRecorded('rec-one', node));
  // Two when all are heard of at once; a busy apiserver tells of them in several lots.
  expect(calls.length).toBeLessThan(2 * TEN.length);
});
