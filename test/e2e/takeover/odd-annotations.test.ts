/** Load balancers of the Go provider whose annotations it read otherwise than levelset: adopted, they get tags and nothing else. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Plan } from '../../../shared/model/plan.ts';
import { readWorld, type RecordedWorld } from '../../golden/world.ts';
import { clear, isOfTags, keyOf, prepare, published, settings } from './adopted.ts';
import { cloudConfigOf, moved, rebuild } from '../fixtures/recorded-world.ts';
import {
  kubectl,
  lab,
  needsControl,
  removeNodes,
  runLevelset,
  someNodes,
  sweepUntilSettled,
  type LabNode,
} from '../lab/lab.ts';

const WORLDS = join(import.meta.dirname, '../../golden/takeover/occm');
const OCCM = 'loadbalancer.openstack.org/';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

/** A recorded Service, what else it says, and how many changes wait for it. */
const ODD: readonly (readonly [
  world: string,
  annotations: Readonly<Record<string, string>>,
  waits: number,
])[] = [
  ['basic-two-ports', { [`${OCCM}proxy-protocol`]: 'True', [`${OCCM}class`]: '' }, 2],
  ['session-affinity', { [`${OCCM}x-forwarded-for`]: ' true', [`${OCCM}keep-floatingip`]: 'FALSE' }, 2],
  ['many-ports', { [`${OCCM}timeout-client-data`]: ' 60000', [`${OCCM}lb-method`]: 'least_connections' }, 16],
  ['no-health-monitor', { [`${OCCM}enable-health-monitor`]: 'True', [`${OCCM}connection-limit`]: '' }, 2],
  ['hostname', { [INTERNAL]: 'True', [`${OCCM}health-monitor-delay`]: '9 ' }, 2],
];

let nodes: readonly LabNode[] = [];
let namespace = '';

beforeAll(async () => {
  if (!lab().controllable) return;
  nodes = await someNodes(['node-1', 'node-2', 'node-3'], { labels: { pool: 'a' } });
});
afterAll(() => removeNodes(nodes));
afterEach(async () => {
  if (namespace !== '') await clear(namespace);
});

it('keeps what is on them as it is, and what levelset reads otherwise waits', async (context) => {
  needsControl(context);
  const stand = new Map(nodes.map((node) => [node.name, node]));
  const worlds = ODD.map(([name, annotations]) =>
    annotated(moved(readWorld(join(WORLDS, `${name}.world.json`)), stand, ''), annotations),
  );
  const [one] = worlds;
  if (!one) throw new Error('nothing was recorded');
  namespace = one.service.metadata.namespace;
  await prepare(one);
  const options = { cloudConfig: await cloudConfigOf(one, 'odd'), clusterName: one.cluster_name };
  const made = await Promise.all(worlds.map((world) => rebuild(world)));
  const plans = async (): Promise<readonly (Plan | undefined)[]> => {
    const objects = made.map(({ service }) => keyOf(service));
    const { stdout } = await runLevelset(['plan', ...objects, '-o', 'json'], options);
    const found = new Map((JSON.parse(stdout) as readonly Plan[]).map((plan) => [plan.unit, plan]));
    return objects.map((unit) => found.get(unit));
  };
  const before = await Promise.all(made.map(({ loadBalancer }) => settings(loadBalancer.id)));
  const publishedBefore = await Promise.all(made.map(({ service }) => published(service)));

  for (const [at, plan] of (await plans()).entries()) {
    const [name, , waits] = ODD[at] ?? ['', {}, 0];
    expect
      .soft(
        plan?.steps.filter((step) => !isOfTags(step)),
        name,
      )
      .toEqual([]);
    expect.soft(plan?.awaitingApproval.length, name).toBe(waits);
  }
  await sweepUntilSettled(options);

  const second = await plans();
  for (const [at, { service, loadBalancer }] of made.entries()) {
    expect.soft(second[at]?.steps, keyOf(service)).toEqual([]);
    expect.soft(await settings(loadBalancer.id), keyOf(service)).toEqual(before[at]);
    expect.soft(await published(service), keyOf(service)).toEqual(publishedBefore[at]);
  }
  await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
  await sweepUntilSettled(options);
});

function annotated(world: RecordedWorld, more: Readonly<Record<string, string>>): RecordedWorld {
  const { service } = world;
  const annotations = { ...service.metadata.annotations, ...more };
  return { ...world, service: { ...service, metadata: { ...service.metadata, annotations } } };
}
