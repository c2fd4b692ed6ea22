/** A Node that registers becomes what OCCM made of such a server. */
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

const world = labWorld({ servers: ['e2e-init-1'] });
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

it('a Node is what OCCM made of such a one, for two calls each time that it is told of', async () => {
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
