import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('drift prints the steps that put back what was settled, ends with 2, changes nothing, and with 0 after a sweep', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  kube.apply(aService('web'));
  await until('a sweep finds nothing to do', async () => (await run('sweep', env)) === 0);
  expect(await run('drift', env)).toBe(0);
  expect(out.at(-1)).toBe('No drift.');

  const [pool] = cloud.pools;
  Object.assign(pool ?? {}, { lb_algorithm: 'SOURCE_IP' });
  for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
  const writes = (): number =>
    sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/')).length;
  const before = writes();

  // a person waits for a slow kube-apiserver, too
  const states = { side: 'kube', method: 'GET', path: /configmaps/ } as const;
  const atOnce = sandbox.fault({ match: states, kind: 'call', before: () => pause(2_500), times: Infinity });
  expect(await run('drift', env)).toBe(2);
  atOnce();
  expect(out.at(-1)).toBe(
    'default/web: drift, 1 to update; levelset undoes it\n' +
      '  * ~ pool/tcp/80: lb_algorithm: "SOURCE_IP" -> "ROUND_ROBIN"',
  );
  expect(await run('drift -o json service/default/web', env)).toBe(2);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject([
    {
      ...{ services: ['default/web'], driftStays: false, notSettled: 0 },
      drift: [{ verb: 'update', address: 'pool/tcp/80', changes: [{ attribute: 'lb_algorithm' }] }],
    },
  ]);
  expect(writes()).toBe(before);

  const match = { method: 'GET', path: /\/lbaas\/pools/ };
  const clear = sandbox.fault({ match, kind: 'fail-before', status: 403, times: Infinity });
  expect(await run('drift', env)).toBe(1);
  expect(err.join('\n')).toContain('levelset: service/default/web: list pools');
  clear();

  await until('the sweep has put it back', async () => (await run('sweep', env)) === 0);
  expect(pool?.['lb_algorithm']).toBe('ROUND_ROBIN');
  expect(await run('drift', env)).toBe(0);
  expect(out.at(-1)).toBe('No drift.');

  kube.apply(aService('new'));
  expect(await run('drift', env)).toBe(0);
  expect(out.at(-1)).toMatch(/^default\/new: not settled yet, \d to create/);
});
