/** The Secrets of a sandbox as a registry: whatever becomes of them, and of the connection, each entry is that of one Secret. */
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { SecretsSource } from '../../../shared/clusters/secrets.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
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

const LABEL = 'levelset.openstack.org/cluster';

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
