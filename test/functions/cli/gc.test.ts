import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { aService, sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

/** Runs the Service until nothing is left to do. */
async function settle(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  while ((await run(`reconcile service/default/${name}`, env)) !== 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A cluster in whose project is what another one has left, whose UID is `gone`. */
async function leftByAnother(): Promise<SandboxWorld & { readonly gone: string }> {
  const it = await sandboxWorld({ pendingMs: 1 });
  it.sandbox.kube.apply(aService('web'));
  await settle('web', it.env);
  const uid = it.sandbox.kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';
  const gone = '0b9d8e7f-0000-4000-8000-00000000000c';
  const { cloud } = it.sandbox;
  const renamed = (tags: readonly string[]): readonly string[] => tags.map((tag) => tag.replace(uid, gone));
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.floatingips])
    Object.assign(row, { tags: renamed(row.tags) });
  const description = 'Floating IP for Kubernetes external service default/web from cluster kubernetes';
  Object.assign(cloud.floatingips[0] ?? {}, { description: `${description} (levelset ${hashOf(gone)})` });
  out.length = 0;
  return { ...it, gone };
}

/** As shared/model/ownership.ts makes it, for `default/web`. */
function hashOf(cluster: string): string {
  return createHash('sha256').update(`${cluster}/default/web`).digest('hex').slice(0, 12);
}

const LATELY = '--unwritten-for=1ms';

test('gc lists clusters by tag with their last write, and VIP ports that nothing is known of', async () => {
  const { sandbox, env, gone } = await leftByAnother();
  const uid = sandbox.kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';
  Object.assign(sandbox.cloud.addFloatingIp(), { tags: [`levelset-cluster=${uid}`] });
  const forgotten = sandbox.cloud.ports.find(({ device_owner: owner }) => owner === 'Octavia');
  const lost = 'aaaaaaaa-0000-4000-8000-00000000dead';
  sandbox.cloud.ports.push({ ...structuredClone(forgotten), id: lost, name: `octavia-lb-${lost}` } as never);
  out.length = 0;

  expect(await run('gc', env)).toBe(0);

  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  const has = '1 load balancer, 1 listener, 1 floating IP';
  expect(out[0]?.split('\n').sort()).toEqual(
    [`${gone}  last written TIME  ${has}`, `${uid} \\(this cluster\\)  last written TIME  1 floating IP`]
      .sort()
      .map((line) => expect.stringMatching(`^${line.replace('TIME', time)}$`) as string),
  );
  expect(out[1]).toContain(`openstack port delete ${lost}`);
  expect(await run('gc -o wide', env)).toBe(0);
  const [balancer] = sandbox.cloud.loadbalancers;
  expect(out[2]).toMatch(
    new RegExp(
      `^${gone}  .*\\n  load balancer ${balancer?.id ?? ''}\\n  listener \\S+\\n  floating IP \\S+$`,
      'm',
    ),
  );
  expect(await run('gc -o json', env)).toBe(0);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({
    clusters: expect.arrayContaining([
      expect.objectContaining({ isThisOne: true, id: uid }),
      expect.objectContaining({ isThisOne: false, id: gone }),
    ]) as object,
    forgottenVipPorts: [{ id: lost }],
  });
});

test('gc prints a plan, deletes nothing with another hash, and all with that one', async () => {
  const { env, gone, sandbox } = await leftByAnother();

  expect(await run(`gc ${gone} ${LATELY}`, env)).toBe(0);
  const [plan = '', command = ''] = out;
  expect(plan).toMatch(
    /^cluster\/.*: 2 to delete\n {2}- loadbalancer\/.* and everything on it {2}\(its cluster is gone; /,
  );
  const hash = /--approve=(\w{12})$/.exec(command)?.[1] ?? '';
  expect(hash).not.toBe('');
  expect(await run(`gc ${gone} ${LATELY} --approve=0123456789ab`, env)).toBe(1);
  expect(err.at(-1)).toContain('is not the hash of this plan');
  expect(sandbox.cloud.loadbalancers).toHaveLength(1);

  expect(await run(`gc ${gone} ${LATELY} --approve=${hash}`, env)).toBe(0);

  expect(out.at(-1)).toBe(`cluster/${gone}: 2 of 2 steps done (2 to delete)`);
  const { loadbalancers, listeners, pools, floatingips } = sandbox.cloud;
  expect([loadbalancers, listeners, pools, floatingips].map(({ length }) => length)).toEqual([0, 0, 0, 0]);
});

test('gc works where no cluster is left to ask', async () => {
  const { env, gone } = await leftByAnother();
  vi.unstubAllEnvs();
  const { KUBECONFIG: _, ...others } = env;

  expect(await run('gc -o json', { ...others, KUBECONFIG: '', HOME: '/nonexistent' })).toBe(0);

  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ clusters: [{ id: gone, isThisOne: false }] });
});
