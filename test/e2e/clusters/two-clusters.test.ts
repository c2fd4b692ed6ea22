/**
 * One process for two clusters in one project, whose namespaces, Services, Nodes and `cluster-name` have the same names: two real
 * kube-apiservers, the newest Kubernetes and the oldest. Whatever is done in one of them, the other one stays as it is, field by field.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinCluster, leaveCluster } from '../fixtures/nodes.ts';
import { switchServer } from '../fixtures/servers.ts';
import { lab, useVersion, type KubernetesVersion } from '../lab/environment.ts';
import { CLUSTER_NAME, stopAllLevelsets } from '../lab/levelset.ts';
import { leaveDeployment } from '../lab/leftovers.ts';
import {
  addressOf,
  aNamespace,
  apply,
  aService,
  floatingIPs,
  getService,
  kube,
  listeners,
  loadBalancers,
  members,
  pools,
  removeNamespace,
  runLevelset,
  servicePath,
  startLevelset,
  sweepUntilSettled,
  until,
  type Levelset,
  type Port,
  type Resource,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const NODE = 'e2e-two-clusters';
const A: KubernetesVersion = '1.36';
const B: KubernetesVersion = '1.29';
const ENTRIES = { [A]: 'prod-a', [B]: 'prod-b' };

const world = labWorld({
  servers: [NODE, NODE, `${NODE}-joins`],
  levelsetByTest: true,
  goneWithinMs: 120_000,
});

/** What `act` does and asks about Kubernetes is in this cluster. One at a time. */
async function inCluster<T>(version: KubernetesVersion, act: () => Promise<T>): Promise<T> {
  useVersion(version);
  try {
    return await act();
  } finally {
    useVersion(A);
  }
}

beforeEach(() => inCluster(B, leaveDeployment));
afterEach(async () => {
  if (world.namespace === '') return;
  await stopAllLevelsets();
  for (const version of [A, B])
    await inCluster(version, async () => {
      const path = servicePath(world.namespace, 'web');
      if (await getService(world.namespace, 'web')) {
        await kube.patch(path, { metadata: { finalizers: null } });
        await kube.remove(path);
      }
      await leaveDeployment();
      await sweepUntilSettled(); // what a test that failed has left
      await leaveCluster(NODE);
      await leaveCluster(`${NODE}-joins`);
      if (version === B) await removeNamespace(world.namespace);
    });
});

it('creates, changes, joins, sweeps, leaves, comes back and deletes in one, and touches nothing of the other', async () => {
  const folder = await mkdtemp(join(lab().directory, 'clusters-'));
  for (const version of [A, B]) await writeEntry(folder, version);
  const levelset = await startLevelset({ clusters: folder, args: ['--watch'] });
  for (const [index, version] of [A, B].entries())
    await inCluster(version, async () => {
      if (version === B) await aNamespace(world.namespace);
      const server = world.servers[index];
      if (server) await joinCluster(server);
      await serve([{ port: 80 }]);
    });
  expect(await addressIn(A)).not.toBe(await addressIn(B));
  const before = await stillPictureOf(B);
  expect(before).toMatchObject({ loadBalancers: [{}], listeners: [{}], members: [{}], floatingIPs: [{}] });

  await serve([{ port: 80 }, { port: 81 }]);
  await until('two listeners of A', async () => (await pictureOf(A)).listeners.length === 2);
  const joins = world.servers[2];
  if (joins) await joinCluster(joins);
  await until('two members in each pool of A', async () => (await pictureOf(A)).members.length === 4, {
    timeoutMs: 90_000,
  });
  await resync(levelset, ENTRIES[A]);
  await until('the sweep of A', () => Promise.resolve(sweptIn(levelset, ENTRIES[A]) >= 2));
  expect(await pictureOf(B)).toEqual(before);

  await rm(join(folder, ENTRIES[A]), { recursive: true });
  await until('the end of A', () => Promise.resolve(endsOf(levelset) === 1));
  await serve([{ port: 80 }]);
  const left = await stillPictureOf(A);
  expect(left.listeners).toHaveLength(2);
  expect(await pictureOf(B)).toEqual(before);

  await writeEntry(folder, A);
  await until('one listener of A', async () => (await pictureOf(A)).listeners.length === 1, {
    timeoutMs: 90_000,
  });
  await kube.remove(servicePath(world.namespace, 'web'));
  await until('nothing of A', async () => {
    const { loadBalancers, service } = await pictureOf(A);
    return loadBalancers.length === 0 && service === undefined;
  });
  expect(await pictureOf(B)).toEqual(before);

  await serve([{ port: 80 }]);
  await addressIn(A);
  await stillPictureOf(A);
  await rm(join(folder, ENTRIES[A]), { recursive: true });
  await until('the end of A', () => Promise.resolve(endsOf(levelset) === 2));
  await collectGarbageOf(A);
  const { loadBalancers: balancersLeft, floatingIPs: addressesLeft } = await pictureOf(A);
  expect([balancersLeft, addressesLeft]).toEqual([[], []]);
  expect(await pictureOf(B)).toEqual(before);
  await inCluster(B, () => kube.remove(servicePath(world.namespace, 'web')));
  await until('nothing of B', async () => (await pictureOf(B)).loadBalancers.length === 0);
});

async function writeEntry(folder: string, version: KubernetesVersion): Promise<void> {
  await inCluster(version, async () => {
    const entry = join(folder, ENTRIES[version as keyof typeof ENTRIES]);
    const { levelsetKubeconfig, cloudConfig } = lab();
    await mkdir(entry);
    await writeFile(join(entry, 'kubeconfig'), await readFile(levelsetKubeconfig, 'utf8'));
    await writeFile(join(entry, 'cloud.conf'), await readFile(cloudConfig, 'utf8'));
    await writeFile(join(entry, 'flags'), `cluster-name=${CLUSTER_NAME}\n`);
  });
}

async function serve(ports: readonly Port[]): Promise<void> {
  await apply([aService(world.namespace, 'web', ports)]);
}

const addressIn = (version: KubernetesVersion): Promise<string> =>
  inCluster(version, () => addressOf(world.namespace, 'web', { timeoutMs: 90_000 }));

const clusterIdOf = (version: KubernetesVersion): Promise<string> =>
  inCluster(version, () => Promise.resolve(lab().clusterId));

/** All that a cluster has in OpenStack, and its Service and Nodes. Health is Octavia's own affair. */
async function pictureOf(version: KubernetesVersion) {
  const tag = `levelset-cluster=${await clusterIdOf(version)}`;
  const isIts = ({ tags }: Resource): boolean => (tags as readonly string[]).includes(tag);
  const its = (await loadBalancers()).filter(isIts);
  const childrenOf = async (list: (id: string) => Promise<readonly Resource[]>, of: readonly Resource[]) =>
    withoutHealth((await Promise.all(of.map(({ id }) => list(id)))).flat());
  const itsPools = (await Promise.all(its.map(({ id }) => pools(id)))).flat();
  const { service, nodes } = await inCluster(version, async () => ({
    service: await getService(world.namespace, 'web'),
    nodes: await kube.list('/api/v1/nodes'),
  }));
  return {
    loadBalancers: withoutHealth(its),
    listeners: await childrenOf(listeners, its),
    pools: withoutHealth(itsPools),
    members: await childrenOf(members, itsPools),
    floatingIPs: (await floatingIPs()).filter(isIts),
    service,
    nodes,
  };
}

/** The picture when nothing has changed for five seconds. */
async function stillPictureOf(version: KubernetesVersion): ReturnType<typeof pictureOf> {
  for (;;) {
    const picture = await pictureOf(version);
    await pause(5_000);
    if (isDeepStrictEqual(await pictureOf(version), picture)) return picture;
  }
}

function withoutHealth(resources: readonly Resource[]): readonly object[] {
  return resources.map((resource) => ({ ...resource, operating_status: undefined }));
}

/** `levelset gc` with the identity of B, when the servers of A are off. */
async function collectGarbageOf(version: KubernetesVersion): Promise<void> {
  const [first, , joined] = world.servers;
  for (const server of [first, joined]) if (server) await switchServer(server, 'SHUTOFF');
  const args = [await clusterIdOf(version), '--unwritten-for=1ms'];
  const gc = (...more: readonly string[]): ReturnType<typeof runLevelset> =>
    inCluster(B, () => runLevelset(['gc', ...args, ...more]));
  const planned = await until(
    'a plan of what A has left, when none of its members answers',
    async () => {
      const ran = await gc();
      if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr);
      return ran;
    },
    { timeoutMs: 60_000 },
  );
  const hash = /--approve=(\w{12})$/m.exec(planned.stdout)?.[1] ?? '';
  const { code, stderr } = await gc(`--approve=${hash}`);
  expect([code, stderr]).toEqual([0, '']);
}

const endsOf = (levelset: Levelset): number => levelset.log().split('left the registry').length - 1;

async function resync(levelset: Levelset, cluster: string): Promise<void> {
  const { status } = await levelset.resync({ all: true }, cluster);
  expect(status).toBe(202);
}

const sweptIn = (levelset: Levelset, cluster: string): number =>
  levelset
    .log()
    .split('\n')
    .filter((line) => line.includes('"swept"') && line.includes(`"cluster":"${cluster}"`)).length;
