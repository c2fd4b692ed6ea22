/**
 * The packaged functions for two clusters in one project, whose Services have the same names: two real kube-apiservers, the newest
 * Kubernetes and the oldest. What is done in one of them leaves the load balancer and the Service of the other as they are.
 */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { lab, useVersion, type KubernetesVersion } from '../lab/environment.ts';
import {
  addressOf,
  apply,
  aService,
  CLUSTER_NAME,
  E2E_LABEL,
  getService,
  kube,
  listeners,
  loadBalancers,
  readyOf,
  removeNamespace,
  runLevelset,
  servicePath,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { leaveDeployment } from '../lab/leftovers.ts';
import { aws } from './aws/aws.ts';
import type { Deployment } from './aws/deployment.ts';
import { tellAll } from './aws/told.ts';

const LONG = { timeoutMs: 120_000 };
const A: KubernetesVersion = '1.36';
const B: KubernetesVersion = '1.29';
const ENTRIES = new Map([
  [A, 'prod-a'],
  [B, 'prod-b'],
]);
const tokenOf = (version: KubernetesVersion): string => `token-of-${ENTRIES.get(version) ?? ''}-of-the-lab`;

const world = labWorld({ levelsetByTest: true, goneWithinMs: 120_000 });
const parts = aws(['clusters=registry']);
let deployment: Deployment;

/** What `act` does and asks about Kubernetes is in this cluster. One at a time. */
async function inCluster<T>(version: KubernetesVersion, act: () => Promise<T>): Promise<T> {
  useVersion(version);
  try {
    return await act();
  } finally {
    useVersion(A);
  }
}

beforeAll(async () => {
  const { controllable, tls } = lab();
  if (!controllable || !tls) return;
  const parameters: Record<string, string> = {};
  for (const [version, name] of ENTRIES)
    await inCluster(version, async () => {
      await leaveDeployment();
      const { levelsetKubeconfig, cloudConfig } = lab();
      const entry = `/levelset/dev/clusters/${name}`;
      parameters[`${entry}/kubeconfig`] = await readFile(levelsetKubeconfig, 'utf8');
      parameters[`${entry}/cloud.conf`] = await readFile(cloudConfig, 'utf8');
      parameters[`${entry}/flags`] = `cluster-name=${CLUSTER_NAME}\n`;
      parameters[`${entry}/resync-tokens`] = tokenOf(version);
    });
  deployment = await parts.deploy({ parameters });
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => tellAll(deployment));
});
afterEach(async () => {
  if (world.namespace === '') return;
  for (const version of [A, B])
    await inCluster(version, async () => {
      const path = servicePath(world.namespace, 'web');
      if (await getService(world.namespace, 'web')) {
        await kube.patch(path, { metadata: { finalizers: null } });
        await kube.remove(path);
      }
      await runLevelset(['sweep']); // what a test that failed has left
      if (version === B) await removeNamespace(world.namespace);
    });
});

async function resync(version: KubernetesVersion): Promise<number> {
  const { status } = await deployment.api.ask(`/resync/${ENTRIES.get(version) ?? ''}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(version)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ objects: [`service/${world.namespace}/web`] }),
  });
  return status;
}

/** The Service of a cluster, and its load balancers with their listeners. */
async function pictureOf(version: KubernetesVersion) {
  const { clusterId, service } = await inCluster(version, async () => ({
    clusterId: lab().clusterId,
    service: await getService(world.namespace, 'web'),
  }));
  const all = await loadBalancers();
  const its = all.filter(({ tags }) => (tags as readonly string[]).includes(`levelset-cluster=${clusterId}`));
  const withoutHealth = (resource: object): object => ({ ...resource, operating_status: undefined });
  const below = (await Promise.all(its.map(({ id }) => listeners(id)))).flat();
  return { service, loadBalancers: its.map(withoutHealth), listeners: below.map(withoutHealth) };
}

it(
  'brings two Services of one name to addresses of their own, and changes and deletes one alone',
  { timeout: 400_000 },
  async () => {
    const serve = (ports: readonly number[]): Promise<string> =>
      apply([
        aService(
          world.namespace,
          'web',
          ports.map((port) => ({ port })),
        ),
      ]);
    await serve([80]);
    await inCluster(B, async () => {
      const metadata = { name: world.namespace, labels: { [E2E_LABEL]: 'true' } };
      await kube.create('/api/v1/namespaces', { metadata });
      await serve([80]);
    });
    for (const version of [A, B]) expect([200, 202]).toContain(await resync(version));
    const [a, b] = [
      await inCluster(A, () => addressOf(world.namespace, 'web', LONG)),
      await inCluster(B, () => addressOf(world.namespace, 'web', LONG)),
    ];
    expect(a).not.toBe(b);
    // Octavia's health manager moves updated_at, too, until what it sees is ONLINE
    const isSettled = async (): Promise<boolean> =>
      (await loadBalancers()).every(
        (lb) => lb['provisioning_status'] === 'ACTIVE' && lb['operating_status'] === 'ONLINE',
      );
    await until('Octavia is at rest', isSettled, LONG);
    for (const version of [A, B])
      await inCluster(version, () =>
        until(
          'the Service is settled',
          async () => (await readyOf(world.namespace, 'web'))?.status === 'True',
          LONG,
        ),
      );
    const before = await pictureOf(B);
    expect(before).toMatchObject({ loadBalancers: [{}], listeners: [{}] });

    await serve([80, 81]);
    await resync(A);
    await until('two listeners of A', async () => (await pictureOf(A)).listeners.length === 2, LONG);
    const [scheduled] = await deployment.tick();
    expect(scheduled).toMatchObject({ status: 200, functionError: undefined });
    await kube.remove(servicePath(world.namespace, 'web'));
    await resync(A);
    await until('nothing of A', async () => (await pictureOf(A)).loadBalancers.length === 0, LONG);
    expect(await pictureOf(B)).toEqual(before);

    await inCluster(B, () => kube.remove(servicePath(world.namespace, 'web')));
    await resync(B);
    await until('nothing of B', async () => (await pictureOf(B)).loadBalancers.length === 0, LONG);
  },
);
