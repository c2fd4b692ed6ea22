import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { aService, sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { err, expectTranscript, out, run } from './command-line.ts';

const GONE = '0b9d8e7f-0000-4000-8000-00000000000c';

const uidOf = ({ sandbox }: SandboxWorld): string =>
  sandbox.kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';

/** A cluster in whose project is what another one has left, whose UID is GONE. */
async function leftByAnother(): Promise<SandboxWorld> {
  const it = await sandboxWorld({ pendingMs: 1 });
  it.sandbox.kube.apply(aService('web'));
  expect(await run('reconcile --wait svc/web', it.env)).toBe(0);
  const { cloud } = it.sandbox;
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.floatingips])
    Object.assign(row, { tags: row.tags.map((tag) => tag.replace(uidOf(it), GONE)) });
  // as shared/model/ownership.ts makes it
  const hash = createHash('sha256').update(`${GONE}/default/web`).digest('hex').slice(0, 12);
  const description = 'Floating IP for Kubernetes external service default/web from cluster kubernetes';
  Object.assign(cloud.floatingips[0] ?? {}, { description: `${description} (levelset ${hash})` });
  return it;
}

test('gc lists clusters by tag, also where none is left to ask, and VIP ports that nothing is known of', async () => {
  const it = await leftByAnother();
  const { sandbox, env } = it;
  const forgotten = sandbox.cloud.ports.find(({ device_owner: owner }) => owner === 'Octavia');
  const lost = 'aaaaaaaa-0000-4000-8000-00000000dead';
  sandbox.cloud.ports.push({ ...structuredClone(forgotten), id: lost, name: `octavia-lb-${lost}` } as never);
  const left = expect.objectContaining({ id: GONE, isThisOne: false }) as object;

  expect(await run('gc', env)).toBe(0);
  expect(out.at(-1)).toContain(`openstack port delete ${lost}`);
  expect(await run('gc -o wide', env)).toBe(0);
  expect(out.join('\n')).toContain(`\n  load balancer ${String(sandbox.cloud.loadbalancers[0]?.id)}\n`);
  Object.assign(sandbox.cloud.addFloatingIp(), { tags: [`levelset-cluster=${uidOf(it)}`] });
  expect(await run('gc -o json', env)).toBe(0);
  const { clusters, forgottenVipPorts } = JSON.parse(out.at(-1) ?? '') as Record<string, readonly object[]>;
  expect(forgottenVipPorts).toMatchObject([{ id: lost }]);
  expect(clusters).toHaveLength(2);
  expect(clusters).toContainEqual(left);
  expect(clusters).toContainEqual(expect.objectContaining({ id: uidOf(it), isThisOne: true }));

  vi.unstubAllEnvs();
  const nowhere = { LEVELSET_KUBECONFIG: '', KUBECONFIG: '', HOME: '/nonexistent' };
  expect(await run('gc -o json', { ...env, ...nowhere })).toBe(0);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ clusters: expect.arrayContaining([left]) as object });
});

test('gc prints a plan, deletes nothing with another hash, and all with that one', async () => {
  const it = await leftByAnother();
  const { env, sandbox } = it;
  const lately = `gc ${GONE} --unwritten-for=1ms`;
  await expectTranscript('gc', it, [lately, `${lately} --approve=0123456789ab`]);
  const hash = /--approve=(\w{12})$/.exec(out.join('\n'))?.[1] ?? '';
  expect(err.at(-1)).toContain('is not the hash of this plan');
  expect(sandbox.cloud.loadbalancers).toHaveLength(1);

  expect(await run(`${lately} --approve=${hash}`, env)).toBe(0);

  expect(out.at(-1)).toBe(`cluster/${GONE}: 2 of 2 steps done (2 to delete)`);
  const { loadbalancers, listeners, pools, floatingips } = sandbox.cloud;
  expect([loadbalancers, listeners, pools, floatingips].map(({ length }) => length)).toEqual([0, 0, 0, 0]);
});

test('gc takes nothing from a cluster of which a member answers health checks', async () => {
  const { env, sandbox } = await leftByAnother();
  const [pool] = sandbox.cloud.pools;
  const [member] = sandbox.cloud.members;
  Object.assign(pool ?? {}, { healthmonitor_id: 'aaaaaaaa-0000-4000-8000-00000000beef' });
  Object.assign(member ?? {}, { operating_status: 'ONLINE' });

  expect(await run(`gc ${GONE} --unwritten-for=1ms`, env)).toBe(1);

  const at = `${member?.address ?? ''}:${member?.protocol_port ?? 0}`;
  expect([...out, ...err].join()).toContain(`the cluster is alive: its member ${at} answers health checks`);
});
