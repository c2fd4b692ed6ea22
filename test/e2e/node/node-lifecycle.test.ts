/** Nodes whose servers stop, start or are gone, and what a Nova in trouble must not do to them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { labWorld } from '../lab/lab-world.ts';
import {
  kube,
  NAMESPACE,
  nodeEvents,
  nodeOf,
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
  servers: ['e2e-life-1', 'e2e-life-2', 'e2e-life-3'],
  cloudConfig: { Global: { 'auth-url': front.authUrl } },
});
let worker: LabNode;
let leaving: readonly LabNode[];
beforeAll(async () => {
  await kube.remove(`/api/v1/namespaces/${NAMESPACE}/configmaps/levelset-deletions`);
  [worker, ...leaving] = world.servers as [LabNode];
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
/** Resolves when each of the Nodes has had a run more. */
async function lookAt(nodes: readonly LabNode[]): Promise<void> {
  const keys = nodes.map(({ name }) => `node/${name}`);
  const runs = (): readonly number[] => {
    const lines = world.levelset.log().split('\n');
    return keys.map((key) => lines.filter((line) => line.includes(`"object":"${key}"`)).length);
  };
  const before = runs();
  await world.levelset.resync({ objects: keys });
  await until('their runs', () => runs().every((count, at) => count > (before[at] ?? 0)));
}

it('taints a Node whose server is stopped, for as long as it is not ready', async () => {
  const { name } = worker;
  await switchServer(worker, 'SHUTOFF');
  await sayReady(name, 'Unknown');
  await until('the shutdown taint', async () => (await taintsOf(name)).includes(SHUTDOWN));

  await switchServer(worker, 'ACTIVE');
  await sayReady(name, 'True');
  await until('the shutdown taint to go', async () => !(await taintsOf(name)).includes(SHUTDOWN));
});

it('deletes no Node while Nova is in trouble, then one, and not a second one within the budget', async () => {
  await removeServers(leaving.map(({ server }) => server));
  await Promise.all(leaving.map(({ name }) => sayReady(name, 'Unknown')));
  for (const { name } of leaving)
    await until(`${name} to be noted`, async () => (await nodeOf(name))?.metadata.annotations?.[GONE]);

  await front.inTrouble('compute', 500);
  await new Promise((resolve) => setTimeout(resolve, MINUTE + 2_000));
  for (const trouble of ['stopped', 503, 404] satisfies readonly Trouble[]) {
    await front.inTrouble('compute', trouble);
    await lookAt(leaving);
    expect(await Promise.all(leaving.map(isThere)), String(trouble)).toEqual([true, true]);
  }

  await front.inTrouble('compute');
  await lookAt(leaving);
  const left = await until('one of them to be gone', async () => {
    const there = await Promise.all(leaving.map(isThere));
    return there.includes(false) && leaving.filter((_, index) => there[index]);
  });
  expect(left).toHaveLength(1);
  for (const { name } of leaving.filter((node) => !left.includes(node)))
    await until('an Event', async () =>
      (await nodeEvents(name)).some((event) => event.startsWith('DeletingNode')),
    );
});
