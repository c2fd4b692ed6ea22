/** Load balancers as other controllers left them: levelset takes them over with its tags and nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { Plan, Step } from '../../../shared/model/plan.ts';
import { readWorld, type RecordedWorld } from '../../golden/world.ts';
import { storeContainer, type Stored } from '../fixtures/barbican.ts';
import {
  aNamespace,
  E2E_LABEL,
  getService,
  kube,
  kubectl,
  leaveCluster,
  loadBalancerTree,
  nothingLeft,
  patchNode,
  removeNamespace,
  removeNodes,
  runLevelset,
  someNodes,
  sweepUntilSettled,
  until,
  type LabNode,
} from '../lab/lab.ts';
import { cloudConfigOf, moved, rebuild, removeAll } from '../fixtures/recorded-world.ts';

const WORLDS = join(import.meta.dirname, '../../golden/takeover');
/** Those with security groups are told by golden plans only. */
const CONTROLLERS = ['occm', 'kinx'];

let nodes: readonly LabNode[] = [];
let container: Stored | undefined;
let namespace = '';

beforeAll(async () => {
  nodes = await someNodes(['node-1', 'node-2', 'node-3'], { labels: { pool: 'a' } });
  container = await storeContainer('one');
});
afterAll(async () => {
  await removeNodes(nodes);
  await container?.remove();
});
afterEach(async () => {
  if (namespace !== '') await clear(namespace);
});

it.each(CONTROLLERS)('what %s made keeps its address, and everything on it is', async (controller) => {
  const stand = new Map(nodes.map((node) => [node.name, node]));
  const worlds = namesOf(controller).map((name) =>
    moved(readWorld(join(WORLDS, controller, `${name}.world.json`)), stand, container?.ref ?? ''),
  );
  const [one] = worlds;
  if (!one) throw new Error(`nothing of ${controller} was recorded`);
  namespace = one.service.metadata.namespace;
  await prepare(one);
  const options = { cloudConfig: await cloudConfigOf(one, controller), clusterName: one.cluster_name };
  const made = await Promise.all(worlds.map((world) => rebuild(world)));
  const plans = async (): Promise<ReadonlyMap<string, Plan>> => {
    const objects = made.map(({ service }) => keyOf(service));
    const { stdout } = await runLevelset(['plan', ...objects, '-o', 'json'], options);
    return new Map((JSON.parse(stdout) as readonly Plan[]).map((plan) => [plan.object, plan]));
  };
  const before = await Promise.all(made.map(({ loadBalancer }) => settings(loadBalancer.id)));
  const publishedBefore = await Promise.all(made.map(({ service }) => published(service)));

  const first = await plans();
  for (const { service } of made) {
    const plan = first.get(keyOf(service));
    expect
      .soft(
        plan?.steps.filter((step) => !isOfTags(step)),
        keyOf(service),
      )
      .toEqual([]);
    expect.soft(plan?.awaitingApproval.length, keyOf(service)).toBe(waiting(controller, service));
  }
  await sweepUntilSettled(options);

  const second = await plans();
  for (const [index, { service, loadBalancer }] of made.entries()) {
    expect.soft(second.get(keyOf(service))?.steps, keyOf(service)).toEqual([]);
    expect.soft(await settings(loadBalancer.id), keyOf(service)).toEqual(before[index]);
    expect.soft(await published(service), keyOf(service)).toEqual(publishedBefore[index]);
  }
  await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
  await sweepUntilSettled(options);
});

function namesOf(controller: string): readonly string[] {
  const files = readdirSync(join(WORLDS, controller)).filter((name) => name.endsWith('.world.json'));
  return files.map((name) => name.slice(0, -'.world.json'.length)).sort();
}

/** How many changes wait for a person, by the plan that was written down. */
function waiting(controller: string, { metadata }: Service): number {
  const text = readFileSync(join(WORLDS, controller, `${metadata.name}.plan.txt`), 'utf8');
  return text.split('\n').filter((line) => line.includes('waits for approval')).length;
}

const keyOf = ({ metadata }: Service): string => `service/${metadata.namespace}/${metadata.name}`;

const isOfTags = (step: Step): boolean =>
  step.verb === 'update' && step.changes.every(({ attribute }) => attribute === 'tags');

/** The namespace, and the Node that has no server but was made a member. What a try that was cut off left goes first. */
async function prepare({ service, nodes: recorded }: RecordedWorld): Promise<void> {
  const { namespace } = service.metadata;
  const isGone = async (): Promise<boolean> =>
    (await kube.get(`/api/v1/namespaces/${namespace}`)) === undefined;
  if (!(await isGone())) await clear(namespace);
  await until(`namespace ${namespace} of an earlier try to be gone`, isGone, { timeoutMs: 60_000 });
  await aNamespace(namespace);
  const joiner = recorded.find(({ metadata }) => metadata.name === 'joiner');
  if (!joiner) return;
  const labels = { [E2E_LABEL]: 'true' };
  await kube.create('/api/v1/nodes', { metadata: { name: 'joiner', labels }, spec: joiner.spec });
  await patchNode('joiner', { status: { addresses: joiner.status?.addresses } });
}

async function clear(namespace: string): Promise<void> {
  await removeNamespace(namespace);
  await leaveCluster('joiner');
  await removeAll();
  await nothingLeft({ timeoutMs: 60_000 });
}

async function published({ metadata }: Service): Promise<unknown> {
  const ingress = (await getService(metadata.namespace, metadata.name))?.status?.loadBalancer?.ingress ?? [];
  return ingress.map(({ ip, hostname }) => ({ ip, hostname }));
}

/** Everything on it but tags and what changes by itself; lists in any order. */
async function settings(id: string): Promise<unknown> {
  return still(await loadBalancerTree(id));
}

const PASSING = ['tags', 'updated_at', 'revision_number', 'operating_status', 'provisioning_status'];

function still(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(still(one))).sort();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !PASSING.includes(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, still(one)]));
}
