/** No two Nodes ever share an address, however many processes allocate at once, and wherever a run ends. */
import { newMemory } from '../../shared/memory/memory.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Cloud, World } from '../../shared/ports.ts';
import { reconcileNode } from '../../shared/node/reconcile.ts';
import { CidrCluster } from '../support/cidr-cluster.ts';
import type { ApprovalGate } from '../support/cidr-cluster.ts';
import { SILENT } from '../support/sandbox-world.ts';
import { aConfig } from '../support/config.ts';
import './seed.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
/** Room for four of IPv4. */
const RANGES = [
  { clusterCidr: '10.0.0.0/29', family: 4, maskSize: 31 },
  { clusterCidr: 'fd00::/60', family: 6, maskSize: 64 },
] as const;
const ROOM = 4;

const cloud = {
  during: () => cloud,
  list: () => Promise.resolve([]),
  get: () => Promise.resolve(undefined),
  projectId: () => Promise.resolve('project'),
} as unknown as Cloud;

/** A process: its runs, what happens to Nodes between them, and after how many requests it dies. */
const name = fc.constantFrom(...NAMES);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('look' as const), name }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), name }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('register' as const), name }) },
);
const aProcess = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 6 }),
  dies: fc.option(fc.nat({ max: 30 }), { nil: Infinity }),
});
const first = fc.uniqueArray(
  fc.record({
    name,
    given: fc.constantFrom([], [], [], ['10.0.0.2/31', 'fd00:0:0:1::/64'], ['10.0.0.4/32']),
  }),
  { selector: (one) => one.name, maxLength: NAMES.length },
);

function worldOf(cluster: CidrCluster, gate: ApprovalGate): World {
  const config = { ...aConfig(), nodeCidrs: { ranges: RANGES, serviceCidrs: [] } };
  const kube = cluster.through(gate);
  const world = { kube, cloud, clock: { now: () => 0 }, config, memory: newMemory(), log: SILENT };
  return world as unknown as World;
}

async function evaluate(node: string, world: World): Promise<boolean> {
  try {
    const run = await reconcileNode({ key: `node/${node}`, trigger: 'sweep' }, world, LONG);
    return run.outcome.status !== 'failed';
  } catch (error) {
    if (error instanceof ReconcileError) return false;
    throw error;
  }
}
const LONG = { remainingMs: () => 60_000 };

async function live(
  { acts }: { acts: readonly Act[] },
  cluster: CidrCluster,
  gate: ApprovalGate,
): Promise<void> {
  const world = worldOf(cluster, gate);
  const doing = acts.map(async ({ what, name: node }) => {
    await gate();
    if (what === 'look') await evaluate(node, world);
    else if (what === 'delete') cluster.nodes.delete(node);
    else cluster.register(node);
  });
  await Promise.all(doing);
}
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Given twice by others, before we came: not ours to mend. */
const differs = (nodes: readonly { readonly given: readonly string[] }[]): boolean =>
  new Set(nodes.flatMap(({ given }) => given)).size === nodes.flatMap(({ given }) => given).length;

test(
  'and what was claimed for nothing comes back',
  () =>
    fc.assert(
      fc.asyncProperty(
        first.filter(differs),
        fc.array(aProcess, { minLength: 2, maxLength: 3 }),
        fc.scheduler(),
        async (nodes, processes, scheduler) => {
          const cluster = new CidrCluster();
          for (const node of nodes) cluster.register(node.name, node.given);
          const lives = processes.map((one) => {
            const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
            let requests = 0;
            const gate: ApprovalGate = async () => {
              if ((requests += 1) > one.dies) {
                die(undefined);
                await new Promise(() => undefined);
              }
              await scheduler.schedule(Promise.resolve());
            };
            return Promise.race([live(one, cluster, gate), death]);
          });
          await scheduler.waitFor(Promise.all(lives));
          expect(cluster.faults).toEqual([]);

          const after = worldOf(cluster, () => Promise.resolve());
          for (const again of [...NAMES, ...NAMES]) expect(await evaluate(again, after)).toBe(true);
          expect(cluster.faults).toEqual([]);
          const had = [...cluster.nodes.values()].map(({ spec }) => spec?.podCIDRs ?? []);
          if (had.length <= ROOM) expect(had).not.toContainEqual([]);
          expect([...cluster.claims.keys()].sort()).toEqual(had.flat().sort());
        },
      ),
      { numRuns: 400 },
    ),
  60_000,
);
