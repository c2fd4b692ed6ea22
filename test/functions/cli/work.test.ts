/** Commands that work, alone and beside a process that leads, and what they say of trouble. */
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/sandbox.ts';
import { joinNode } from '../../support/nodes.ts';
import { aService, replaceIn, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';
import type { SandboxWorld } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { running } from '../running.ts';
import { RESYNC_TOKEN } from '../../http/tokens.ts';
import { err, expectTranscript, out, run } from './command-line.ts';

test('sweeps go from 2, still progressing, to 0, nothing left to do, and leave the cluster to whoever comes next', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 300 });
  const { kube } = sandbox;
  kube.apply(aService('web'));
  expect(await run('sweep', env)).toBe(2);
  expect(out[0]).toMatch(/^service\/default\/web: progressing, waiting for .* \(2 to create\)$/);
  await until('nothing is left to do', async () => (await run('sweep', env)) === 0);
  expect(addressOf({ kube })).toBeDefined();
  // a settled record of the same second as the last write is not trusted yet
  await until('it counts as settled', async () => {
    expect(await run('sweep', env)).toBe(0);
    return out.at(-1) === '1 Services and 3 Nodes, 4 already settled; nothing to do';
  });
  const holders = kube.list('Lease').map(({ metadata, spec }) => [metadata.name, spec?.['holderIdentity']]);
  expect(Object.fromEntries(holders)).toEqual({ levelset: '', 'levelset-deployment': '' });

  const match = { side: 'kube', method: 'PATCH', path: /services\/api\/status/ } as const;
  sandbox.fault({ match, kind: 'fail-before', status: 409 });
  kube.apply(aService('api'));
  expect(await run('sweep', env)).toBe(2); // somebody else wrote at the same moment: run it again
  expect(out.join('\n')).toMatch(/api: progressing, cannot .*service/i);
});

test('a Node that joins is planned and initialised; who is a member then is for another sweep', async () => {
  const world = await sandboxWorld();
  joinNode(world.sandbox, 'worker-1');
  await expectTranscript('nodes', world, [
    ...['sweep --controllers service', 'plan node/worker-1', 'sweep', 'sweep', 'reconcile node/worker-1'],
    ['a Node comes whose name no server has', () => world.sandbox.kube.registerNode('stranger')],
    ...['sweep', 'reconcile node/stranger'],
  ]);
});

test('reconcile --wait goes on until the objects are as desired, or gone', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 200 });
  for (const name of ['web', 'api']) sandbox.kube.apply(aService(name));
  expect(await run('reconcile --wait svc/web svc/api', env)).toBe(0);
  for (const name of ['web', 'api'])
    expect(out.join('\n')).toMatch(new RegExp(`^service/default/${name}: settled`, 'm'));

  for (const name of ['web', 'api']) sandbox.kube.delete('Service', 'default', name);
  expect(await run('plan svc/web', env)).toBe(0);
  expect(out.at(-1)).toMatch(/Plan: 0 to add, 0 to change, [12] to destroy\.$/);
  expect(await run('reconcile --wait namespace/default', env)).toBe(0);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
  expect(await run('reconcile --wait svc/web', env)).toBe(1);
  expect(err.at(-1)).toBe('levelset: service/default/web not found');
});

test('beside a process that leads a command changes nothing and says how to ask that one, which works when it is asked', async () => {
  const world = await sandboxWorld();
  const { sandbox, env } = world;
  const { idle, url } = await running(world);
  await until('it is idle', idle);
  sandbox.kube.apply(aService('web'));
  expect(await run('sweep', env)).toBe(1);
  expect(err.at(-1)).toMatch(
    /^levelset: levelset_\S+ leads and writes to this cluster: give --server-url URL to let it do the work \(or POST \/resync/,
  );
  expect(await run('sweep --dry-run', env)).toBe(0);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });

  const tokens = { LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN };
  expect(await run(`reconcile svc/web --server-url ${url}`, env)).toBe(1);
  expect(err.at(-1)).toMatch(/^levelset: POST http:\S+\/resync: HTTP 401: /);
  expect(await run(`reconcile namespace/default --server-url ${url}`, { ...env, ...tokens })).toBe(1);
  expect(err.at(-1)).toContain('HTTP 422');
  expect(await run(`sweep --server-url ${url}`, { ...env, ...tokens })).toBe(2);
  expect(out.at(-1)).toMatch(/\/resync has queued all/);
  await until('web has its address', () => addressOf(sandbox) !== undefined);
  expect(await run(`reconcile svc/web --server-url ${url}`, { ...env, ...tokens })).toBe(2);
  expect(out.at(-1)).toContain(`/resync has queued service/default/web; ${url}/ shows`);
}, 30_000);

const fault = (match: FaultRule['match'], status: number) => (world: SandboxWorld) =>
  world.sandbox.fault({ kind: 'fail-before', status, match, times: Infinity });

test.each<[string, (world: SandboxWorld) => unknown, ...(readonly string[])]>([
  [
    'wrong-password',
    ({ flags }) => replaceIn(flags.cloudConfig, 'password = demo', 'password = hunter2'),
    ...['plan', 'drift', 'sweep', 'gc', 'reconcile svc/web', 'adopt --report'],
  ],
  ['octavia-away', fault({ path: /lbaas/ }, 503), 'plan', 'sweep', 'adopt --report'],
  ['apiserver-refuses', fault({ side: 'kube' }, 403), 'plan', 'sweep'],
])('what all fails of alike is told once, with what mends it: %s', async (name, breaks, ...commands) => {
  const world = await sandboxWorld();
  for (const service of ['web', 'api', 'old']) world.sandbox.kube.apply(aService(service));
  await breaks(world);
  await expectTranscript(name, world, commands);
});
