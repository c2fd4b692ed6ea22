/** What Services, and whole clusters, leave in OpenStack when they are gone without having been deleted. */
import { afterEach, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import {
  apply,
  aService,
  floatingIPs,
  kubectl,
  lab,
  loadBalancers,
  nothingLeft,
  runLevelset,
  serviceGone,
  sweepUntilSettled,
  type Resource,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

/** Other files of a run may have used up what the hour allows. */
const env = { LEVELSET_DELETION_SHARE: '100%' };

const world = labWorld({ nodes: ['e2e-orphans-1'], levelsetByTest: true });
afterEach(async () => {
  if (world.namespace === '') return;
  await kubectl(['-n', world.namespace, 'delete', 'services', '--all', '--wait=false']);
  await sweepUntilSettled({ env });
  await nothingLeft();
});

const named = async (): Promise<readonly Resource[]> =>
  (await loadBalancers()).filter(({ name }) => String(name).includes(world.namespace));

it('a Service that vanished leaves its load balancer in quarantine, and then nothing', async () => {
  await apply([aService(world.namespace, 'web')]);
  await sweepUntilSettled();
  const [lb] = await named();
  const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
  await kubectl(['-n', world.namespace, 'patch', 'service', 'web', ...patch]);
  await kubectl(['-n', world.namespace, 'delete', 'service', 'web', '--wait=false']);
  await serviceGone(world.namespace, 'web');
  const delayed = { env: { ...env, LEVELSET_ORPHAN_DELAY: '20s' } };

  const { stderr } = await runLevelset(['sweep'], delayed);
  const began = Date.now();
  expect(stderr).toMatch(new RegExp(`/web \\(load balancer ${lb?.id ?? ''}\\); it is in quarantine until `));
  expect(await named()).toHaveLength(1);
  await pause(Math.max(0, began + 20_000 - Date.now()));
  await sweepUntilSettled(delayed);

  expect(await named()).toEqual([]);
});

it('gc takes what a cluster has left that was deleted together with its Services, and no more', async () => {
  await apply([aService(world.namespace, 'web')]);
  await sweepUntilSettled();
  const other = await startSandbox({ nodes: 1 });
  const kubeconfig = join(lab().directory, 'cluster-that-goes.json');
  const text = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'other' },
    clusters: [{ name: 'other', cluster: { server: other.kubeUrl } }],
    users: [{ name: 'levelset', user: { token: other.kubeToken } }],
    contexts: [{ name: 'other', context: { cluster: 'other', user: 'levelset' } }],
  });
  await writeFile(kubeconfig, text);
  const id = other.kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';
  try {
    other.kube.apply({ kind: 'Namespace', metadata: { name: world.namespace } });
    other.kube.apply({
      ...aService(world.namespace, 'web'),
      kind: 'Service',
      metadata: { namespace: world.namespace, name: 'web' },
    });
    await sweepUntilSettled({ kubeconfig });
  } finally {
    await other.close();
  }
  expect(await named()).toHaveLength(2);
  const gc = (...args: readonly string[]): ReturnType<typeof runLevelset> => runLevelset(['gc', ...args]);

  expect((await gc()).stdout).toMatch(
    new RegExp(`^${id} {2}last written .* 1 load balancer, .*1 floating IP`, 'm'),
  );
  const early = await gc(`--cluster=${id}`);
  expect([early.code, early.stdout]).toEqual([1, expect.stringContaining('--unwritten-for is 86400 s')]);
  const own = await gc(`--cluster=${lab().clusterId}`, '--unwritten-for=1ms');
  expect([own.code, own.stdout]).toEqual([
    1,
    expect.stringContaining('this is the cluster of the kubeconfig'),
  ]);
  const planned = await gc(`--cluster=${id}`, '--unwritten-for=1ms');
  const hash = /--approve=(\w{12})$/m.exec(planned.stdout)?.[1] ?? '';
  expect([planned.code, hash.length]).toEqual([0, 12]);
  expect(await named()).toHaveLength(2);

  const done = await gc(`--cluster=${id}`, '--unwritten-for=1ms', `--approve=${hash}`);

  expect([done.code, done.stderr]).toEqual([0, '']);
  expect((await named()).map(({ tags }) => tags)).toEqual([
    expect.arrayContaining([`levelset-cluster=${lab().clusterId}`]),
  ]);
  const ofGone = (await floatingIPs()).filter(({ tags }) => String(tags).includes(id));
  expect(ofGone).toEqual([]);
});
