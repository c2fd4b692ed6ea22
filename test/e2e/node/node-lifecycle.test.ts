/** Nodes whose servers stop, start, change their names or are gone, and what a Nova in trouble must not do to them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labWorld } from '../lab/lab-world.ts';
import {
  cloud,
  complaintOf,
  kube,
  NAMESPACE,
  nodeEvents,
  nodeOf,
  patchNode,
  registerNode,
  removeServers,
  sayReady,
  switchServer,
  taintsOf,
  UNINITIALIZED,
  until,
  type LabNode,
} from '../lab/lab.ts';
import { startCloudFront, type Trouble } from '../fixtures/cloud-front.ts';

const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
const GONE = 'levelset.openstack.org/server-gone';
const MINUTE = 60_000;
const front = await startCloudFront();
const world = labWorld({
  servers: ['e2e-life-1', 'e2e-life-2', 'e2e-life-3', 'e2e-life-4'],
  cloudConfig: { Global: { 'auth-url': front.authUrl } },
});
let worker: LabNode;
let other: LabNode;
let leaving: readonly LabNode[];
beforeAll(async () => {
  await kube.remove(`/api/v1/namespaces/${NAMESPACE}/configmaps/levelset-deletions`);
  [worker, other, ...leaving] = world.servers as [LabNode, LabNode];
  await Promise.all(world.servers.map(({ name }) => registerNode(name)));
  await Promise.all(
    world.servers.map(({ name }) =>
      until(
        `Node ${name} to be initialised`,
        async () => !(await taintsOf(name)).includes(UNINITIALIZED.key),
      ),
    ),
  );
});
afterAll(() => front.close());

const isThere = async ({ name }: LabNode): Promise<boolean> => (await nodeOf(name)) !== undefined;
const lookAt = (nodes: readonly LabNode[]): Promise<unknown> =>
  world.levelset.resync({ objects: nodes.map(({ name }) => `node/${name}`) });

it('taints a Node whose server is stopped, for as long as it is not ready', async () => {
  const { name } = worker;
  await switchServer(worker, 'SHUTOFF');
  const stopped = Date.now();
  await sayReady(name, 'Unknown');
  await until('the shutdown taint', async () => (await taintsOf(name)).includes(SHUTDOWN));
  console.log(`a stopped server: tainted ${Date.now() - stopped} ms after its Node was not ready`);

  await switchServer(worker, 'ACTIVE');
  await sayReady(name, 'True');
  await until('the shutdown taint to go', async () => !(await taintsOf(name)).includes(SHUTDOWN));
});

it('leaves a Node as it is whose server gets another name', async () => {
  const { name, server } = other;
  const before = await nodeOf(name);
  await cloud().must('compute', 'PUT', `/servers/${server}`, { server: { name: 'e2e-life-renamed' } });
  await lookAt([other]);
  expect(await nodeOf(name)).toEqual(before);
});

it(
  'deletes no Node while Nova is in trouble, then one, and the other one when it is approved',
  { timeout: 300_000 },
  async () => {
    await removeServers(leaving.map(({ server }) => server));
    await Promise.all(leaving.map(({ name }) => sayReady(name, 'Unknown')));
    for (const { name } of leaving)
      await until(`${name} to be noted`, async () => (await nodeOf(name))?.metadata.annotations?.[GONE]);
    const noted = Date.now();

    await front.inTrouble('compute', 500);
    await new Promise((resolve) => setTimeout(resolve, noted + MINUTE + 2_000 - Date.now()));
    for (const trouble of ['stopped', 500, 503, 404, 'no servers'] satisfies readonly Trouble[]) {
      await front.inTrouble('compute', trouble);
      await lookAt(leaving);
      expect(await Promise.all(leaving.map(isThere)), String(trouble)).toEqual([true, true]);
    }
    for (const { name } of leaving) expect(await complaintOf(name)).toMatch(/no server of any Node/);

    await front.inTrouble('compute');
    await lookAt(leaving);
    const left = await until('one of them to be gone', async () => {
      const there = await Promise.all(leaving.map(isThere));
      return there.includes(false) && leaving.filter((_, index) => there[index]);
    });
    console.log(
      `${2 - left.length} Node gone ${Math.round((Date.now() - noted) / 1000)} s after its server was missed`,
    );
    expect(left).toHaveLength(1);
    const [refused] = left as [LabNode];
    const why = await until('a condition about the deletion budget', async () => {
      const text = await complaintOf(refused.name);
      return text?.includes('allows 1 of') ? text : undefined;
    });
    const [, approve] = /approve: ([0-9a-f]{12})/.exec(why) ?? [];
    await patchNode(refused.name, {
      metadata: { annotations: { 'levelset.openstack.org/approve': approve } },
    });
    await until('the approved one to be gone', async () => !(await isThere(refused)));
    for (const { name } of leaving)
      await until('an Event', async () =>
        (await nodeEvents(name)).some((event) => event.startsWith('DeletingNode')),
      );
  },
);
