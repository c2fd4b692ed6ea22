/** Load balancers as other controllers left them: levelset takes them over with its tags and nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { Plan } from '../../../shared/model/plan.ts';
import { readWorld } from '../../golden/world.ts';
import { clear, isOfTags, keyOf, prepare, published, settings } from '../takeover/adopted.ts';
import { storeContainer, type Stored } from '../fixtures/barbican.ts';
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
import { cloudConfigOf, moved, rebuild } from '../fixtures/recorded-world.ts';

const WORLDS = join(import.meta.dirname, '../../golden/takeover');
/** Those with security groups are told by golden plans only. */
const CONTROLLERS = ['occm', 'kinx'];

let nodes: readonly LabNode[] = [];
let container: Stored | undefined;
let namespace = '';

beforeAll(async () => {
  if (!lab().controllable) return;
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

describe.each(CONTROLLERS)('what %s made', (controller) => {
  it('keeps its address, and everything on it is', async (context) => {
    needsControl(context);
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
      return new Map((JSON.parse(stdout) as readonly Plan[]).map((plan) => [plan.unit, plan]));
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
