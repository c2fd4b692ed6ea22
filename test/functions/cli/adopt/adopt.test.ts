import { expect, test } from 'vitest';
import type { Adoption } from '../../../../shared/report/adoption-report.ts';
import { aService, sandboxWorld, until } from '../../sandbox-world.ts';
import { err, out, run } from '../command-line.ts';

test('counts what plans empty, what is pending and what is a problem, and changes nothing', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  for (const name of ['web', 'api', 'old']) kube.apply(aService(name));
  await until('all have an address', async () => (await run('sweep', env)) === 0);
  // as another controller left it: without levelset's tags
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.pools, ...cloud.floatingips])
    Object.assign(row, { tags: [] });
  const writes = (): number =>
    sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/')).length;
  const before = writes();

  expect(await run('adopt --report', env)).toBe(0);
  expect(out.at(-1)).toMatch(/\n\n\d+ get no more than tags, 0 have pending changes, 0 have problems$/);

  const listener = cloud.listeners.find(({ name }) => name.includes('api'));
  Object.assign(listener ?? {}, { connection_limit: 7, updated_at: cloud.octaviaTime() });
  kube.apply(aService('old', { 'loadbalancer.openstack.org/flavor-id': 'no-id' }));
  expect(await run('adopt --report -o json', env)).toBe(1);
  const rows = JSON.parse(out.at(-1) ?? '') as readonly Adoption[];
  const stateOf = (name: string): string | undefined => rows.find((row) => row.name === name)?.state;
  expect([stateOf('default/old'), stateOf('default/api'), stateOf('default/web')]).toEqual([
    'problem',
    'pending',
    'tags-only',
  ]);
  expect(rows[0]?.because.join()).toContain('flavor-id');
  expect(writes()).toBe(before);
});

test('a forgotten --cluster-name is a problem for adopt, plan and sweep, and nothing is tagged', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  kube.apply(aService('web'));
  await until('it has an address', async () => (await run('sweep --cluster-name prod', env)) === 0);
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.pools, ...cloud.floatingips])
    Object.assign(row, { tags: [] });

  for (const command of ['adopt --report', 'plan', 'sweep']) {
    await run(command, env);
    expect([...out, ...err].join('\n')).toMatch(/--cluster-name.*kubernetes.*give --cluster-name prod if/s);
  }
  expect(cloud.loadbalancers).toMatchObject([{ tags: [] }]);
  expect(await run('adopt --report --cluster-name prod', env)).toBe(0);
});

test('names a Service whose load balancer levelset does not recognise', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply({
    ...aService('web'),
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.77' }] } },
  });
  expect(await run('adopt --report', env)).toBe(1);
  expect(out.at(-1)).toMatch(
    /^problem: default\/web\n {2}default\/web has an address, and levelset would make a new load balancer: .* give --cluster-name the name .* annotation loadbalancer.openstack.org\/load-balancer-id$/m,
  );
});

test('needs --report', async () => {
  const { env } = await sandboxWorld();
  expect(await run('adopt', env)).toBe(1);
  expect(err.at(-1)).toContain('adopt needs --report');
});
