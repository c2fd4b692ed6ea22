/** Wherever a deployment has its clusters from: entries come, change, break and go while it runs, and the place is away for a while. */
import { existsSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sourceOf } from '../../../functions/clusters/source-of.ts';
import { CLUSTER_RIGHTS } from '../../../infra/kubernetes/rights.ts';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { FolderSource } from '../../../shared/clusters/folder.ts';
import { grantsOf } from '../../rights/grants.ts';
import { aFolder } from '../../support/for-one-test.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import { aService, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { runningClusters, textsOf, twoSandboxes } from './fleet.ts';

/** An entry is a link that is replaced in one step, and nobody has written for three seconds. */
function aRegistryFolder() {
  const path = join(aFolder(), 'clusters');
  mkdirSync(path);
  let generation = 0;
  return {
    source: new FolderSource(path, () => Date.now() + 3_000),
    put: (name: string, texts: Texts): void => {
      const fresh = `.${(generation += 1)}`;
      mkdirSync(join(path, fresh));
      for (const [text, content] of Object.entries(texts)) writeFileSync(join(path, fresh, text), content);
      symlinkSync(fresh, join(path, '.next'));
      renameSync(join(path, '.next'), join(path, name));
    },
    remove: (name: string): void => {
      unlinkSync(join(existsSync(path) ? path : `${path}-moved`, name));
    },
    /** The place cannot be read any more; returns what heals it. */
    goes: () => {
      renameSync(path, `${path}-moved`);
      return (): void => {
        renameSync(`${path}-moved`, path);
      };
    },
    /** What it refused. */
    refused: () => [],
  };
}

/** Secrets of another cluster, which levelset reads with the rights of rbac-clusters.yaml and no other. */
async function secrets() {
  const home = await startSandbox({ nodes: 0 });
  onTestFinished(() => home.close());
  const grants = grantsOf(CLUSTER_RIGHTS.filter(({ manifest }) => manifest === 'rbac-clusters'));
  const kubeToken = home.addUser('system:serviceaccount:levelset:levelset', grants);
  const kubeconfig = join(aFolder(), 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor({ ...home, kubeToken }));
  return {
    source: await sourceOf('secrets', { flags: { kubeconfig }, env: {} }),
    put: (cluster: string, texts: Texts, name = cluster) => {
      const labels = { 'levelset.openstack.org/cluster': cluster };
      const encoded = (text: string): string => Buffer.from(text).toString('base64');
      const data = Object.entries(texts).map(([text, content]) => [text, encoded(content)]);
      const metadata = { name, namespace: 'levelset', labels };
      home.kube.apply({ kind: 'Secret', metadata, data: Object.fromEntries(data) as Texts });
    },
    remove: (name: string) => {
      home.kube.delete('Secret', 'levelset', name);
    },
    goes: () => {
      const heal = home.fault({ match: { side: 'kube' }, kind: 'reset-before', times: 1e6 });
      home.kube.endWatches();
      return heal;
    },
    refused: () => home.requests.filter(({ status }) => status >= 400),
  };
}

test.each<[string, typeof aRegistryFolder | typeof secrets]>([
  ['a folder', aRegistryFolder],
  ['Secrets', secrets],
])('clusters of %s come, change, break and go, and are served while that is away', async (_, place) => {
  const [a, b] = await twoSandboxes();
  const { source, put, remove, goes, refused } = await place();
  put('a', textsOf('a', a, a));
  const { page, get, idle, lines, timesServed } = await runningClusters(source);
  const addressIn = ({ kube }: typeof a, name: string) =>
    until(`${name} has its address`, () => addressOf({ kube }, name) !== undefined);

  put('b', textsOf('b', b, a));
  await until('b is served', () => timesServed('b') === 1);
  b.kube.apply(aService('web'));
  put('b', { ...textsOf('b', b, a), flags: 'drift=report' });
  await until('it is connected anew', () => timesServed('b') === 2);
  await addressIn(b, 'web');

  put('b', { ...textsOf('b', b, a), flags: 'drift=report', kubeconfig: 'hunter2-of-the-entry' });
  await until('the entry is named', async () => (await page())[1]?.problems.length !== 0);
  expect(await page()).toMatchObject([
    { cluster: 'a', isServed: true, problems: [] },
    { cluster: 'b', isServed: true, problems: [expect.stringContaining('b: kubeconfig')] },
  ]);
  expect(await get('/readyz')).toMatch(/^ok\nb: kubeconfig/);

  const heal = goes();
  await until('the page says so', async () => (await get('/readyz')).includes('clusters: '));
  expect(await page()).toMatchObject([{ isServed: true }, { isServed: true }]);
  remove('b');
  heal();
  await until('it is gone', async () => (await page()).length === 1);
  await until('it is idle', idle);
  b.kube.delete('Service', 'default', 'web');
  put('a', { ...textsOf('a', a, a), flags: 'drift=report' });
  a.kube.apply(aService('web'));
  await addressIn(a, 'web');
  expect(b.kube.get('Service', 'default', 'web')).toBeDefined(); // its finalizer: nobody works on it
  expect(a.cloud.loadbalancers).toHaveLength(2);
  expect(lines.join('\n')).not.toContain('hunter2');
  expect(refused()).toEqual([]);
});

test('of several Secrets of one cluster none counts', async () => {
  const { source, put } = await secrets();
  for (const secret of ['one', 'two']) put('prod-a', {}, secret);
  await expect(source.read('prod-a')).rejects.toThrow('several Secrets have this value');
  await source.stop?.();
});
