/**
 * No step of a sweep looks at all of something for each of something else: counted are reads of the objects
 * that the apiserver and OpenStack list, never time.
 */
import { expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { replaced } from '../../support/in-process.ts';
import { aProcess } from '../../support/virtual-time.ts';
import { settledWorld } from './settled-world.ts';

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

/**
 * By kind: how often a sweep reads each object, on the average. There are as many Services as Nodes, of which each has four as members; the
 * process knows nothing.
 */
async function readsOfSweep(count: number): Promise<Readonly<Record<string, number>>> {
  const names = Array.from({ length: count }, (_, at) => `svc-${at}`);
  const groupOf = (at: number): string => `group-${Math.floor(at / MEMBERS)}`;
  const services = names.map((name, at) => ({ name, annotations: { [SELECTOR]: `group=${groupOf(at)}` } }));
  const { inside } = await settledWorld(services, count, ({ kube }) => {
    for (const at of names.keys())
      kube.apply({ kind: 'Node', metadata: { name: `node-${at + 1}`, labels: { group: groupOf(at) } } });
  });
  const world = aProcess(inside);
  const reads = new Map<string, number>();
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
  const { requests, settled } = await sweep({ ...world, kube, cloud });
  expect([requests, settled]).toEqual([[], count]);
  return Object.fromEntries([...reads].map(([kind, total]) => [kind, total / (objects.get(kind) ?? 1)]));
}

function countedReads<T extends object>(object: T, kind: string, reads: Map<string, number>): T {
  return new Proxy(object, {
    get: (of, name) => {
      reads.set(kind, (reads.get(kind) ?? 0) + 1);
      return Reflect.get(of, name) as unknown;
    },
  });
}
