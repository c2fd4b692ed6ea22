import { expect, test } from 'vitest';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('drift prints what somebody else changed with who asks for what, ends with 2, changes nothing, and with 0 after a sweep', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  // Octavia's times have whole seconds, and what has just changed is not trusted yet
  sandbox.advanceClock(-60_000);
  kube.apply(aService('web'));
  await until('a sweep finds nothing to do', async () => (await run('sweep', env)) === 0);
  await run('sweep', env);
  expect(await run('drift', env)).toBe(0);
  expect(out.at(-1)).toBe('No drift.');

  sandbox.advanceClock(10_000);
  const [pool, member] = [cloud.pools[0], cloud.members[0]];
  Object.assign(pool ?? {}, { lb_algorithm: 'SOURCE_IP', updated_at: cloud.octaviaTime() });
  Object.assign(member ?? {}, { weight: 99 });
  Object.assign(cloud.loadbalancers[0] ?? {}, { updated_at: cloud.octaviaTime() });
  const writes = (): number =>
    sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/')).length;
  const before = writes();

  expect(await run('drift', env)).toBe(2);
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  expect(out.at(-1)).toMatch(
    new RegExp(
      [
        '^default/web: 1 change by somebody else; levelset undoes it',
        String.raw`  \* pool/tcp/80 lb_algorithm is "SOURCE_IP" instead of "ROUND_ROBIN" \(the default; changed ${time}\)`,
        String.raw`  \. set by others: member/tcp/80/\S+ weight is 99, usually 1; nobody asks for it, so it stays$`,
      ].join('\n'),
    ),
  );
  expect(await run('drift -o json service/default/web', env)).toBe(2);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject([
    {
      services: ['default/web'],
      drift: [
        { address: 'pool/tcp/80', attribute: 'lb_algorithm', there: 'SOURCE_IP', wanted: 'ROUND_ROBIN' },
      ],
      driftStays: false,
      setByOthers: [{ attribute: 'weight', there: 99 }],
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
  expect(out.at(-1)).toContain('default/web: no drift');
});
