/** `serve --clusters=secrets`: entries that are Secrets come, change, break and go while it runs, and their apiserver is away for a while. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveClusters } from '../../../functions/clusters/serve-clusters.ts';
import { sourceOf } from '../../../functions/clusters/source-of.ts';
import type { Serving } from '../../../functions/serve.ts';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { grantsOf } from '../../rights/grants.ts';
import { CLUSTER_RIGHTS } from '../../../infra/kubernetes/rights.ts';
import { aRegistrySecret } from '../../support/clusters/registry-secret.ts';
import { cloudConfFor, kubeconfigFor } from '../../support/sandbox-world.ts';
import { addressOf, aService, sandboxWorld, until } from '../sandbox-world.ts';

const SECRET_TEXT = 'hunter2-of-the-entry';

interface Running extends Serving {
  readonly lines: readonly string[];
  readonly readyz: () => Promise<string>;
}

/** With the rights of rbac-clusters.yaml and no other in the cluster where the Secrets are. */
async function running(home: Sandbox): Promise<Running> {
  const grants = grantsOf(CLUSTER_RIGHTS.filter(({ manifest }) => manifest === 'rbac-clusters'));
  const token = home.addUser('system:serviceaccount:levelset:levelset', grants);
  const folder = mkdtempSync(join(tmpdir(), 'levelset-home-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor({ ...home, kubeToken: token }));
  const lines: string[] = [];
  const note = (message: string, fields?: unknown): void =>
    void lines.push(JSON.stringify([message, fields]));
  const options = {
    flags: {
      kubeconfig,
      allowLocalServers: 'true',
      sweepInterval: '1h',
      listen: '127.0.0.1:0',
      watch: true as const,
    },
    env: {},
    log: { debug: note, info: note, warn: note, error: note },
  };
  const serving = await serveClusters({ ...options, everyMs: 20 }, await sourceOf('secrets', options));
  onTestFinished(async () => {
    await serving.stop();
    rmSync(folder, { recursive: true });
  });
  return { ...serving, lines, readyz: async () => (await fetch(`${serving.url}/readyz`)).text() };
}

const textsOf = (sandbox: Sandbox): Record<string, string> => ({
  kubeconfig: kubeconfigFor(sandbox),
  'cloud.conf': cloudConfFor(sandbox.authUrl),
});

test('a Secret that comes, changes, breaks and goes is an entry that does, and an apiserver that is away ends none', async () => {
  const home = await startSandbox({ nodes: 0 });
  onTestFinished(() => home.close());
  const { sandbox } = await sandboxWorld({ pendingMs: 2 });
  const put = (name: string, cluster: string, texts: Record<string, string | null>): void => {
    home.kube.apply(aRegistrySecret(name, cluster, texts));
  };
  const { lines, readyz, url } = await running(home);
  const says = async (what: string): Promise<void> => {
    await until(what, async () => (await readyz()).includes(what));
  };
  const address = (name: string) => () =>
    addressOf(sandbox.kube.get('Service', 'default', name)) !== undefined;
  expect(await readyz()).toBe('ok\n');

  put('one', 'prod-a', textsOf(sandbox));
  sandbox.kube.apply(aService('web'));
  await until('the first Service has its address', address('web'));

  put('one', 'prod-a', { flags: 'cluster-name=lab' });
  const served = (): number => lines.filter((line) => line.startsWith('["the cluster is served"')).length;
  await until('it is connected anew', () => served() === 2);

  put('one', 'prod-a', { kubeconfig: SECRET_TEXT });
  await says('prod-a: kubeconfig');
  put('two', 'prod-a', textsOf(sandbox));
  await says('prod-a: several Secrets');
  sandbox.kube.apply(aService('more'));
  await until('what was served is served', address('more'));
  home.kube.delete('Secret', 'levelset', 'one');
  await until('nothing is wrong', async () => (await readyz()) === 'ok\n');

  const heal = home.fault({ match: { side: 'kube' }, kind: 'reset-before', times: 100_000 });
  home.kube.endWatches();
  await says('clusters: cannot watch Secrets');
  sandbox.kube.apply(aService('meanwhile'));
  await until('what was read last is served', address('meanwhile'));
  home.kube.delete('Secret', 'levelset', 'two');
  heal();
  await until('it is gone', async () =>
    (await (await fetch(`${url}/?format=json`)).text()).includes('"clusters":[]'),
  );
  expect(lines.join('\n')).not.toContain(SECRET_TEXT);
  expect(lines.join('\n')).not.toContain('hunter2');
  expect(home.requests.filter(({ status }) => status >= 400)).toEqual([]);
});
