/**
 * No step of a sweep, or of a run, looks at all of something for each of something else: counted are reads of the objects
 * that the apiserver and OpenStack list, never time.
 */
import { expect, test } from 'vitest';
import { serviceKey } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { startCluster } from '../../support/clusters/cluster.ts';
import { replaced } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { aProcess, runsOf } from '../../support/virtual-time.ts';

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
  const { inside, names, counted, reads } = await countedWorld(MANY);
  const readsOfRuns = async (runs: readonly string[]): Promise<number> => {
    reads.clear();
    const { world } = counted();
    for (const name of runs)
      await runsOf({ key: serviceKey('default', name), trigger: 'audit' }, world, inside);
    return reads.get('Node') ?? 0;
  };
  const few = await readsOfRuns(names.slice(0, FEW));
  expect(few).toBeGreaterThan(0);
  expect((await readsOfRuns(names)) - few).toBeLessThan(MANY * BOUND);
});

/** By kind: how often a sweep reads each object, on the average. */
async function readsOfSweep(count: number): Promise<Readonly<Record<string, number>>> {
  const { counted, reads } = await countedWorld(count);
  const { world, objects } = counted();
  const { requests, settled } = await sweep(world);
  expect([requests, settled]).toEqual([[], count]);
  return Object.fromEntries([...reads].map(([kind, total]) => [kind, total / (objects.get(kind) ?? 1)]));
}

/** As many Services as Nodes that can be members, of which each has four; and processes that know nothing and count their reads. */
async function countedWorld(count: number) {
  const names = Array.from({ length: count }, (_, at) => `svc-${at}`);
  const groupOf = (at: number): string => `group-${Math.floor(at / MEMBERS)}`;
  const { inside, kube, sweepToRest } = startCluster();
  for (const [at, name] of names.entries()) {
    const [node, group] = [`member-${at}`, groupOf(at)];
    kube.addNode(node);
    kube.apply({ kind: 'Node', metadata: { name: node, labels: { group } } });
    kube.apply(aService({ name, annotations: { [SELECTOR]: `group=${group}` } }));
  }
  await sweepToRest();
  const reads = new Map<string, number>();
  const counted = (): { readonly world: World; readonly objects: ReadonlyMap<string, number> } => {
    const world = aProcess(inside);
    const objects = new Map<string, number>();
    const watched = <T extends object>(kind: string, list: readonly T[]): readonly T[] => {
      objects.set(kind, list.length);
      return list.map((one) => countedReads(one, kind, reads));
    };
    const kube = replaced(world.kube, (its) => ({
      listServices: async (namespace) => watched('Service', await its.listServices(namespace)),
      listNodes: async () => watched('Node', await its.listNodes()),
    }));
    const cloud = replaced(world.cloud, (its) => ({
      list: async (kind, ...asked) => watched(kind, await its.list(kind, ...asked)),
    }));
    return { world: { ...world, kube, cloud }, objects };
  };
  return { inside, names, counted, reads };
}

function countedReads<T extends object>(object: T, kind: string, reads: Map<string, number>): T {
  return new Proxy(object, {
    get: (of, name) => {
      reads.set(kind, (reads.get(kind) ?? 0) + 1);
      return Reflect.get(of, name) as unknown;
    },
  });
}
