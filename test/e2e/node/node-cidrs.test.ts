/** Nodes get their CIDRs from several processes at once, and no two the same one. */
import { expect, it, onTestFinished } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { labWorld } from '../lab/lab-world.ts';
import { kube, leaveCluster, NAMESPACE, nodeOf, registerNode, runLevelset, until } from '../lab/lab.ts';

const NAMES = Array.from({ length: 10 }, (_, index) => `e2e-cidrs-${index}`);
labWorld({ servers: NAMES, levelsetByTest: true });

const RANGES = ['--cluster-cidr=10.244.0.0/20,fd00:244::/56', '--service-cluster-ip-range=10.244.1.0/24'];
const OPTIONS = { args: ['--allocate-node-cidrs', ...RANGES] };
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const BY_LABEL = `${LEASES}?labelSelector=levelset.openstack.org/lease=cidr`;

interface ClaimLease {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity: string };
}
const claims = (): Promise<readonly ClaimLease[]> => kube.list<ClaimLease>(BY_LABEL);
const cidrsOf = async (name: string): Promise<readonly string[]> =>
  (await nodeOf(name))?.spec?.podCIDRs ?? [];
/** Never a sweep: it would give CIDRs to all other Nodes of the lab, and nobody can take them away. */
const reconcile = async (names: readonly string[]): Promise<number> => {
  const ran = await runLevelset(['reconcile', ...names.map((name) => `node/${name}`), '--wait'], OPTIONS);
  return ran.code;
};
const untilDone = async (names: readonly string[]): Promise<number> => {
  for (let runs = 1; runs <= 5; runs += 1) if ((await reconcile(names)) === 0) return runs;
  throw new Error('not done after five runs');
};

it('ten at once by two processes: each its own, of both families, none of the addresses of Services', async () => {
  await Promise.all(NAMES.map((name) => registerNode(name)));
  onTestFinished(() => Promise.all(NAMES.map(leaveCluster)).then(() => undefined));
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = await kube.list<Node>('/api/v1/nodes');
  expect(before.filter(({ metadata }) => NAMES.includes(metadata.name))).toHaveLength(10);
  expect(await Promise.all(NAMES.map(cidrsOf)), 'nobody else allocates').toEqual(NAMES.map(() => []));

  const since = Date.now();
  const runs = await Promise.all([untilDone(NAMES), untilDone([...NAMES].reverse())]);
  const ms = Date.now() - since;
  const given = await Promise.all(NAMES.map(cidrsOf));
  const made = await claims();
  console.log(`ten Nodes, two processes: ${ms} ms, ${runs.join(' and ')} runs, ${made.length} claims`);

  expect(new Set(given.flat()).size).toBe(20);
  expect(given.flat()).not.toContain('10.244.1.0/24');
  for (const [v4, v6] of given) {
    expect(v4).toMatch(/^10\.244\.\d+\.0\/24$/);
    expect(v6).toMatch(/^fd00:244:.*\/64$/);
  }
  const names = new Set(made.map(({ metadata }) => metadata.name));
  for (const cidr of given.flat()) expect(names).toContain(`levelset-cidr-${cidr.replace(/[:/]/g, '-')}`);

  const [first = ''] = NAMES;
  const [freed = ''] = await cidrsOf(first);
  await leaveCluster(first);
  expect(await reconcile([first]), 'not found, and its claim goes all the same').toBe(1);
  const held = (await claims()).map(({ metadata }) => metadata.name);
  expect(held).not.toContain(`levelset-cidr-${freed.replace('/', '-')}`);

  await registerNode(first);
  await untilDone([first]);
  expect(await cidrsOf(first)).toContain(freed);

  await Promise.all(NAMES.map(leaveCluster));
  await reconcile(NAMES);
  await until('no claim to be left', async () => (await claims()).length === 0);
});
