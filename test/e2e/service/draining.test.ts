/** A node that leaves while its Node is still there: what is open goes on for a while, what is new goes elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  kube,
  longestOutage,
  startLevelset,
  startTraffic,
  treeOf,
  until,
  type Answer,
  type Levelset,
  type Traffic,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const DRAIN_MS = 8_000;
const STAYS = 'e2e-draining-1';
const LEAVES = 'e2e-draining-2';
const TAINT = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

const world = labWorld({ nodes: [STAYS, LEAVES], levelsetByTest: true });

const start = (): Promise<Levelset> =>
  startLevelset({ args: [`--connection-draining-timeout=${String(DRAIN_MS / 1_000)}s`] });
const NODE = `/api/v1/nodes/${LEAVES}`;
const taint = (taints: readonly object[] | null): Promise<unknown> => kube.patch(NODE, { spec: { taints } });
const exclude = (label: '' | null): Promise<unknown> =>
  kube.patch(NODE, { metadata: { labels: { [EXCLUDED]: label } } });

/** Weights by node, `e2e-draining-1 1, e2e-draining-2 0`; undefined while they are not in force yet. */
const weights = async (): Promise<string | undefined> => {
  const { pools } = await treeOf(world.namespace, 'web');
  const members = pools[0]?.members ?? [];
  if (members.some((member) => member['provisioning_status'] !== 'ACTIVE')) return undefined;
  return members
    .map(({ name, weight }) => `${String(name)} ${String(weight)}`)
    .sort()
    .join(', ');
};
const DRAINS = `${STAYS} 1, ${LEAVES} 0`;
const GONE = `${STAYS} 1`;
const become = (wanted: string): Promise<number> =>
  until(wanted, async () => (await weights()) === wanted && Date.now());

let address = '';
async function serve(): Promise<void> {
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  address = await addressOf(world.namespace, 'web');
  await until('both nodes to answer', async () => (await answeringNodes(`http://${address}/`, 6)).size === 2);
}
beforeEach(async () => {
  await start();
  return async () => {
    await taint(null);
    await exclude(null);
  };
});

/** Stopped when the test is over, whatever came of it. */
function traffic(url: string, everyMs: number): Traffic {
  const started = startTraffic(url, everyMs);
  onTestFinished(() => started.stop().then(() => undefined));
  return started;
}
const nodesOf = (answers: readonly Answer[]): ReadonlySet<string> =>
  new Set(answers.flatMap((answer) => (answer.ok ? [answer.node] : [])));
/** An open connection that ended up at the node. */
async function connectionTo(node: string): Promise<Traffic> {
  return until(`a connection to ${node}`, async () => {
    const opened = traffic(`tcp://${address}:80`, 100);
    await until('its first word', () => opened.answers.length > 0);
    if (nodesOf(opened.answers).has(node)) return opened;
    await opened.stop();
    return false;
  });
}

it('keeps what is open, gets nothing new, and goes when its time is up', async () => {
  await serve();
  const open = await connectionTo(LEAVES);
  const requests = traffic(`http://${address}/`, 30);
  await until('both to answer', () => nodesOf(requests.answers).size === 2);

  await taint([TAINT]);
  const tainted = Date.now();
  const drains = await become(DRAINS);
  const gone = await become(GONE);
  await sleep(2_000);
  const [answers, words] = [await requests.stop(), await open.stop()];

  const during = (all: readonly Answer[]): readonly Answer[] =>
    all.filter(({ at }) => at > drains && at < gone - 1_000);
  const ended = words.find(({ ok }) => !ok)?.at;
  const failed = answers.filter(({ ok }) => !ok).length;
  console.log(
    `a node drains: weight 0 after ${String(drains - tainted)} ms, gone after another ${String(gone - drains)} ms;`,
    `${String(answers.length)} requests, ${String(failed)} failed, longest outage ${String(longestOutage(answers))} ms;`,
    `the open connection: ${String(words.length)} words, longest silence ${String(longestOutage(words))} ms,`,
    ended === undefined ? 'not ended' : `ended ${String(ended - gone)} ms after the member was seen gone`,
  );
  expect(drains - tainted).toBeLessThan(10_000);
  expect(gone - drains).toBeGreaterThan(DRAIN_MS - 2_000);
  expect(gone - drains).toBeLessThan(DRAIN_MS + 12_000);
  expect([...nodesOf(during(answers))]).toEqual([STAYS]);
  expect(longestOutage(answers)).toBeLessThan(1_000);
  expect(during(words).length).toBeGreaterThan(30);
  expect(during(words).every(({ ok }) => ok)).toBe(true);
  expect(nodesOf(words)).toEqual(new Set([LEAVES]));
});

it('keeps clients whose cookie names it as long as it is there', async () => {
  const annotations = {
    'levelset.openstack.org/protocol': 'HTTP',
    'levelset.openstack.org/session-persistence': 'HTTP_COOKIE',
  };
  await apply([aService(world.namespace, 'web', [{ port: 80 }], { annotations })]);
  address = await addressOf(world.namespace, 'web');
  const { pools } = await treeOf(world.namespace, 'web');
  const member = pools[0]?.members.find(({ name }) => name === LEAVES)?.id ?? '';
  const nodesFor = async (headers: Readonly<Record<string, string>>): Promise<string> =>
    [...(await answeringNodes(`http://${address}/`, 4, { headers }))].sort().join();
  const bound = { Cookie: `SRV=${member}` };
  await until('it to be heard', async () => (await nodesFor(bound)) === LEAVES);
  await exclude('');
  await become(DRAINS);
  expect(await nodesFor(bound)).toBe(LEAVES);
  expect(await nodesFor({})).toBe(STAYS);
  await become(GONE);
  expect(await nodesFor(bound)).toBe(STAYS);
});
