/** Nodes that register become what the Go provider made of such servers, and stay so. */
import { beforeAll, expect, it } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { labWorld } from '../lab/lab-world.ts';
import {
  complaintOf,
  countCalls,
  leaveCluster,
  nodeEvents,
  nodeOf,
  patchNode,
  registerNode,
  taintsOf,
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
const sweepNow = (): Promise<unknown> => world.levelset.resync({ all: true });

/** Nova lists ports in the name of who asks it, without a limit: those are not levelset's. */
const ofServers = (calls: readonly ApiCall[]): readonly string[] =>
  calls
    .filter(({ service, path }) => service === 'nova' || /ports\?.*limit=/.test(path))
    .map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

it('one Node is what the Go provider made of such a one, for two calls each time that it is told of', async () => {
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

it('a sweep over ten that are level costs two calls, and writes nothing', async () => {
  const before = await Promise.all(TEN.map((name) => nodeOf(name)));
  const counter = await countCalls();
  const sweeps = (): number => world.levelset.log().split('"message":"swept"').length;
  const swept = sweeps();
  await sweepNow();
  await until('the sweep', () => sweeps() > swept);
  const calls = ofServers(await counter.stop());
  console.log(`a sweep over ten Nodes: ${calls.join(', ')}`);

  expect(calls).toHaveLength(2);
  expect(await Promise.all(TEN.map((name) => nodeOf(name)))).toEqual(before);
});

it('does it again when the taint is put back, and nothing that somebody else wrote goes', async () => {
  const expected = await asRecorded('rec-one', first);
  const labels = { 'topology.kubernetes.io/zone': 'elsewhere', 'example.org/own': 'kept' };
  const taint = { key: 'example.org/own', effect: 'NoSchedule' };
  await patchNode(first.name, {
    metadata: { labels },
    spec: { taints: [UNINITIALIZED, taint] },
  });

  const { labels: now, spec } = await made(first.name);
  expect(now).toEqual({ ...expected.labels, 'example.org/own': 'kept' });
  expect(spec?.taints).toEqual([taint]);
  await patchNode(first.name, { metadata: { labels: { 'example.org/own': null } }, spec: { taints: null } });
});

it('labels and addresses that somebody spoilt are right again after a sweep', async () => {
  const expected = await asRecorded('rec-one', first);
  await patchNode(first.name, {
    metadata: { labels: { 'node.kubernetes.io/instance-type': 'huge', 'topology.kubernetes.io/zone': null } },
    status: { addresses: [{ type: 'ExternalIP', address: '192.0.2.1' }] },
  });
  await sweepNow();
  await until('the Node as it was', async () => {
    expect(await made(first.name)).toEqual(expected);
    return true;
  });
});

it('two Nodes that claim one server both have a condition, and neither is touched', async () => {
  const twin = 'e2e-init-twin';
  await registerNode(twin, { providerID: `openstack:///${first.server}` });
  try {
    await until('the twin to be told', async () => (await complaintOf(twin))?.includes(first.name));
    await sweepNow();
    await until('the other to be told', async () => (await complaintOf(first.name))?.includes(twin));
    expect(await taintsOf(twin)).toContain(UNINITIALIZED.key);
    expect((await nodeOf(twin))?.status?.addresses ?? []).toEqual([]);
    expect(await made(first.name)).toEqual(await asRecorded('rec-one', first));
  } finally {
    await leaveCluster(twin);
  }
  await sweepNow();
  await until('the other to be well', async () => (await complaintOf(first.name)) === undefined);
});
