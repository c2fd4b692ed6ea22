/** The Secrets of a sandbox as a registry: whatever becomes of them, and of the connection, each entry is that of one Secret. */
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { SecretsSource } from '../../../shared/clusters/secrets.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import { pause } from '../../support/sandbox-world.ts';
import { aRegistrySecret } from '../../support/clusters/registry-secret.ts';

async function open(): Promise<{ readonly sandbox: Sandbox; readonly source: SecretsSource }> {
  const sandbox = await startSandbox({ nodes: 0 });
  const connection = {
    source: 'sandbox',
    server: sandbox.kubeUrl,
    tls: {},
    credential: () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` }),
  };
  const source = new SecretsSource('levelset', {
    http: createKubeHttp(connection),
    watch: createWatch(connection),
  });
  onTestFinished(async () => {
    await source.stop();
    await sandbox.close();
  });
  return { sandbox, source };
}

/** Asks until the answer is this one; fails with the last one. */
async function becomes(ask: () => Promise<unknown>, expected: unknown): Promise<void> {
  await expect.poll(() => ask().catch(String), { timeout: 5_000, interval: 5 }).toEqual(expected);
}

const names = (source: SecretsSource) => async (): Promise<readonly string[]> =>
  (await source.names()).toSorted();

test('an entry is a Secret with the label in its namespace, and its name is the value of the label', async () => {
  const { sandbox, source } = await open();
  const { kube } = sandbox;
  kube.apply(aRegistrySecret('one', 'prod-a', { kubeconfig: 'k', 'cloud.conf': 'c', other: 'o' }));
  kube.apply(aRegistrySecret('two', undefined, { kubeconfig: 'k' }));
  kube.apply({ ...aRegistrySecret('one', 'prod-b', {}), metadata: { name: 'one', namespace: 'default' } });
  expect(await source.names()).toEqual(['prod-a']);
  expect(await source.read('prod-a')).toEqual({ kubeconfig: 'k', 'cloud.conf': 'c' });
  expect(await source.read('one')).toBeUndefined();
  kube.apply(aRegistrySecret('three', 'prod-c', {}));
  await becomes(names(source), ['prod-a', 'prod-c']);
  expect(await source.read('prod-c')).toEqual({});
  kube.apply(aRegistrySecret('one', 'prod-a', { kubeconfig: 'é' }));
  await becomes(async () => (await source.read('prod-a'))?.kubeconfig, 'é');
  kube.apply({ kind: 'Secret', metadata: { ...OWN, name: 'one', labels: { [LABEL]: null } } });
  await becomes(names(source), ['prod-c']);
  kube.delete('Secret', 'levelset', 'three');
  await becomes(names(source), []);
});

const LABEL = 'levelset.openstack.org/cluster';
const OWN = { namespace: 'levelset' };

test('of two Secrets with one name neither counts, until one is gone', async () => {
  const { sandbox, source } = await open();
  const { kube } = sandbox;
  kube.apply(aRegistrySecret('old', 'prod-a', { kubeconfig: 'old-secret-text' }));
  kube.apply(aRegistrySecret('new', 'prod-a', { kubeconfig: 'new-secret-text' }));
  expect(await source.names()).toEqual(['prod-a']);
  const refused = await source.read('prod-a').catch(String);
  expect(refused).toContain(`several Secrets have this value of the label ${LABEL} (new, old)`);
  expect(refused).not.toContain('secret-text');
  kube.delete('Secret', 'levelset', 'old');
  await becomes(() => source.read('prod-a'), { kubeconfig: 'new-secret-text' });
});

test('a kube-apiserver that does not answer says nothing of what is gone, and what went meanwhile is gone afterwards', async () => {
  const { sandbox, source } = await open();
  const { kube } = sandbox;
  kube.apply(aRegistrySecret('one', 'prod-a', { kubeconfig: 'k' }));
  kube.apply(aRegistrySecret('two', 'prod-b', { kubeconfig: 'k' }));
  expect(await names(source)()).toEqual(['prod-a', 'prod-b']);
  const isWatched = () => Promise.resolve(sandbox.requests.some(({ path }) => path.includes('watch=true')));
  await becomes(isWatched, true);
  const heal = sandbox.fault({ match: { side: 'kube' }, kind: 'fail-before', times: 100_000 });
  kube.endWatches();
  await becomes(async () => (await source.names().catch(String)).includes('cannot watch'), true);
  await expect(source.read('prod-a')).rejects.toThrow('cannot watch Secrets with the label');
  kube.delete('Secret', 'levelset', 'two');
  await pause(20);
  await expect(source.names()).rejects.toThrow();
  heal();
  await becomes(names(source), ['prod-a']);
});

test('a kube-apiserver that refuses is named at once', async () => {
  const { sandbox, source } = await open();
  sandbox.fault({ match: { side: 'kube' }, kind: 'fail-before', status: 403, times: 100 });
  const began = performance.now();
  await expect(source.names()).rejects.toThrow('cannot list Secrets with the label');
  expect(performance.now() - began).toBeLessThan(3_000);
});
