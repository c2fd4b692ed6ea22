/**
 * No step of a sweep, or of a run, looks at all of something for each of something else: counted are reads of the objects
 * that the apiserver and OpenStack list, never time.
 */
import { expect, test } from 'vitest';
import { createSandbox } from '../../../infra/sandbox/sandbox.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const SELECTOR = 'loadbalancer.openstack.org/node-selector';
const MEMBERS = 4;
const FEW = 8;
const MANY = 40;
/** A scan would add a read of each object for each of the objects that `MANY` has more. */
const BOUND = (MANY - FEW) / 2;

test('a sweep of a settled world reads each object no oftener where there are many', async () => {
  const few = await readsOfSweep(FEW);
  const many = await readsOfSweep(MANY);
  for (const kind of ['Node', 'Service', 'floatingip', 'loadbalancer', 'port']) {
    const [before = 0, after = 0] = [few[kind], many[kind]];
    expect(before, kind).toBeGreaterThan(0);
    expect(after - before, kind).toBeLessThan(BOUND);
  }
});

test('runs read a Node no oftener where there are many Services', async () => {
  const { names, counted, reads } = await settledWorld(MANY);
  const readsOfRuns = async (runs: readonly string[]): Promise<number> => {
    reads.clear();
    const { world } = counted();
    for (const name of runs) await run(name, world, true);
    return reads.get('Node') ?? 0;
  };
  const few = await readsOfRuns(names.slice(0, FEW));
  expect(few).toBeGreaterThan(0);
  expect((await readsOfRuns(names)) - few).toBeLessThan(MANY * BOUND);
});

/** By kind: how often a sweep reads each object, on the average. */
async function readsOfSweep(count: number): Promise<Readonly<Record<string, number>>> {
  const { counted, reads } = await settledWorld(count);
  const { world, objects } = counted();
  const { requests, settled } = await sweep(world);
  expect([requests, settled]).toEqual([[], count]);
  return Object.fromEntries([...reads].map(([kind, total]) => [kind, total / (objects.get(kind) ?? 1)]));
}

/** As many Services as Nodes, of which each has four as members, with load balancers and watermarks; and a process that knows nothing and counts its reads. */
async function settledWorld(count: number) {
  const clock = new VirtualClock();
  const inside = createSandbox({ nodes: count, pendingMs: 0 }, clock);
  const names = Array.from({ length: count }, (_, at) => `svc-${at}`);
  for (const [at, name] of names.entries()) {
    const group = `group-${Math.floor(at / MEMBERS)}`;
    inside.kube.apply({ kind: 'Node', metadata: { name: `node-${at + 1}`, labels: { group } } });
    inside.kube.apply(aService({ name, annotations: { [SELECTOR]: `group=${group}` } }));
  }
  const worker = inProcessWorld(inside, aConfig(AUTH_URL), SILENT);
  for (const name of names) while ((await run(name, worker)) === 'progressing');
  inside.advanceClock(3_000);
  for (const { key } of (await sweep(worker)).requests)
    await run(key.split('/')[2] ?? '', worker, false, 'sweep');
  const reads = new Map<string, number>();
  const counted = (): { readonly world: World; readonly objects: ReadonlyMap<string, number> } => {
    const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT);
    const objects = new Map<string, number>();
    const watched = <T extends object>(kind: string, list: readonly T[]): readonly T[] => {
      objects.set(kind, list.length);
      return list.map((one) => countedReads(one, kind, reads));
    };
    const { kube, cloud } = world;
    const [listServices, listNodes] = [kube.listServices.bind(kube), kube.listNodes.bind(kube)];
    kube.listServices = async (namespace) => watched('Service', await listServices(namespace));
    kube.listNodes = async () => watched('Node', await listNodes());
    const list = cloud.list.bind(cloud);
    cloud.list = async (kind, ...asked) => watched(kind, await list(kind, ...asked));
    return { world, objects };
  };
  return { names, counted, reads };
}

function countedReads<T extends object>(object: T, kind: string, reads: Map<string, number>): T {
  return new Proxy(object, {
    get: (of, name) => {
      reads.set(kind, (reads.get(kind) ?? 0) + 1);
      return Reflect.get(of, name) as unknown;
    },
  });
}

async function run(
  name: string,
  world: World,
  dryRun = false,
  trigger: 'audit' | 'sweep' = 'audit',
): Promise<string> {
  const request = { key: serviceKey('default', name), trigger, dryRun };
  const { outcome } = await reconcile(request, world, { remainingMs: () => 60_000 });
  if (outcome.status === 'failed') throw new Error(outcome.message);
  return outcome.status;
}
