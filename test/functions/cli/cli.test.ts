import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { joinNode } from '../../support/nodes.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { addressOf, aService, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

/** Sweeps until nothing is left to do; the exit codes. */
async function sweepUntilDone(env: NodeJS.ProcessEnv): Promise<readonly number[]> {
  const codes: number[] = [];
  while (codes.at(-1) !== 0 && codes.length < 50) {
    codes.push(await run('sweep', env));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return codes;
}

test('plan shows what a sweep would do and changes nothing', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.kube.apply(aService('web'));

  expect(await run('plan', env)).toBe(0);
  expect(out.join('\n')).toContain('default/web: 2 to create');
  expect(await run('plan -o json service/default/web', env)).toBe(0);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject([
    { services: ['default/web'], steps: [{ verb: 'create' }, {}] },
  ]);

  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});

test('sweeps go from 2, still progressing, to 0, nothing left to do', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 300 });
  sandbox.kube.apply(aService('web'));

  const codes = await sweepUntilDone(env);

  expect(codes[0]).toBe(2);
  expect(codes.at(-1)).toBe(0);
  expect(out[0]).toMatch(/^service\/default\/web: progressing, waiting for .* \(2 to create\)$/);
  expect(addressOf(sandbox.kube.get('Service', 'default', 'web'))).toBeDefined();

  // a watermark of the same second as the last write is not trusted yet
  await until('it counts as settled', async () => {
    expect(await run('sweep', env)).toBe(0);
    return out.at(-1) === '1 Services and 3 Nodes, 4 already settled; nothing to do';
  });
  expect(await run('plan', env)).toBe(0);
  expect(out.at(-1)).toBe('Nothing to do: everything is as desired.');
});

test('a sweep that meets what somebody else wrote at the same moment is to be run again, and has not failed', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.kube.apply(aService('web'));
  sandbox.fault({
    match: { side: 'kube', method: 'PATCH', path: /services\/web\/status/ },
    kind: 'fail-before',
    status: 409,
  });

  expect(await run('sweep', env)).toBe(2);
  expect(out.join('\n')).toMatch(/web: progressing, cannot .*service/i);
});

test('a dry sweep prints the plans and leaves all as it is', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.kube.apply(aService('web'));

  expect(await run('sweep --dry-run', env)).toBe(0);

  expect(out[0]).toContain('default/web: 2 to create');
  expect(out.at(-1)).toBe('1 Services and 3 Nodes, 3 already settled; 1 need work');
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});

test('a Node that joins is planned and initialised; who is a member then is for another sweep', async () => {
  const { sandbox, env } = await sandboxWorld();
  const { server } = joinNode(sandbox, 'worker-1');
  sandbox.kube.registerNode('stranger');

  expect(await run('plan node/worker-1', env)).toBe(0);
  expect(out.at(-1)).toContain(`providerID: "" -> "openstack:///${server.id}"`);
  expect(await run('sweep', env)).toBe(2);
  expect(out).toContain('node/worker-1: settled, as desired (2 to update)');
  expect(out.at(-1)).toBe(
    '0 Services and 5 Nodes, 3 already settled; 1 settled, 1 blocked; run it again: the members of load balancers may change',
  );
  expect(await run('sweep', env)).toBe(0);
  expect(out.at(-1)).toBe('0 Services and 5 Nodes, 4 already settled; nothing to do');
  expect(await run('reconcile node/worker-1', env)).toBe(0);
  expect(await run('reconcile node/stranger', env)).toBe(1);
  expect(out.at(-1)).toMatch(
    /^node\/stranger: blocked, metadata.name "stranger" matches no server of the project/,
  );
});

test('without Nodes to look after a sweep counts none, and leaves them as they are', async () => {
  const { sandbox, env } = await sandboxWorld();
  joinNode(sandbox, 'worker-1');

  expect(await run('sweep --controllers service', env)).toBe(0);
  expect(out.at(-1)).toBe('0 Services, 0 already settled; nothing to do');
});

test('a sweep that cannot find out what there is exits 1 and says why', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.fault({ match: { side: 'kube', method: 'GET' }, times: 99, kind: 'fail-before', status: 403 });

  expect(await run('sweep', env)).toBe(1);

  expect(err.join('\n')).toMatch(/^levelset: cannot read Lease levelset\/levelset: 403/m);
});

test('reconcile --wait goes on until the object is as desired; several objects at once', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 200 });
  for (const name of ['web', 'api']) sandbox.kube.apply(aService(name));

  expect(await run('reconcile --wait service/default/web service/default/api', env)).toBe(0);
  for (const name of ['web', 'api']) {
    expect(out).toContainEqual(expect.stringMatching(new RegExp(`^service/default/${name}: settled`)));
  }

  for (const name of ['web', 'api']) sandbox.kube.delete('Service', 'default', name);
  expect(await run('reconcile --wait namespace/default', env)).toBe(0);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});

test('what cannot be read is one clear line, and where the help is', async () => {
  const { env } = await sandboxWorld();

  expect(await run('plan pod/default/web', env)).toBe(1);
  expect(await run('plan --cloud-config /nowhere/cloud.conf', env)).toBe(1);
  expect(await run('plan --reconcile-timeout soon', env)).toBe(1);
  expect(await run('launch', env)).toBe(1);

  expect(err.map((line) => line.trim())).toEqual([
    'levelset: "pod/default/web" is not an object: give svc/NAME with -n NAMESPACE, service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all',
    'levelset: the configuration cannot be used:\n  --cloud-config: there is no such file (ENOENT)',
    expect.stringMatching(/--reconcile-timeout has a value that is not allowed: give a duration/),
    "error: unknown command 'launch'",
    'levelset --help has the commands',
  ]);
});

test('every flag has a variable, and the flag comes first', async () => {
  const { env } = await sandboxWorld();

  expect(await run('plan --leader-elect=false', env)).toBe(0);
  expect(err.at(-1)).toContain('levelset ignores --leader-elect');
  expect(await run('plan', { ...env, LEVELSET_RECONCILE_TIMEOUT: 'soon' })).toBe(1);
  expect(await run('plan --reconcile-timeout 5s', env)).toBe(0);
});

test('beside a process that leads a command changes nothing, and says how to ask that one', async () => {
  const { sandbox, env, flags } = await sandboxWorld();
  const serving = await serve({ flags: { ...flags, listen: '127.0.0.1:0' }, env: {}, log: SILENT });
  onTestFinished(() => serving.stop());
  await until('it is idle', () => serving.idle());
  sandbox.kube.apply(aService('web'));

  expect(await run('sweep', env)).toBe(1);
  expect(err.at(-1)).toMatch(
    /^levelset: levelset_\S+ leads and writes to this cluster: ask it by --server-url URL, by POST \/resync/,
  );
  expect(await run('sweep --dry-run', env)).toBe(0);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
}, 30_000);

test('beside a process that leads a command that is given its address has it do the work', async () => {
  const { sandbox, env, flags } = await sandboxWorld();
  const tokens = { LEVELSET_RESYNC_TOKENS: 'of-resync-0123456789abcdef' };
  const serving = await serve({ flags: { ...flags, listen: '127.0.0.1:0' }, env: tokens, log: SILENT });
  onTestFinished(() => serving.stop());
  await until('it is idle', () => serving.idle());
  sandbox.kube.apply(aService('web'));
  const at = `--server-url ${serving.url}`;

  expect(await run(`reconcile svc/web ${at}`, env)).toBe(1);
  expect(err.at(-1)).toMatch(/^levelset: POST http:\S+\/resync: HTTP 401: /);
  expect(await run(`reconcile svc/web ${at}`, { ...env, ...tokens })).toBe(2);
  expect(out.at(-1)).toContain(`/resync has queued service/default/web; ${serving.url}/ shows`);
  expect(await run(`reconcile namespace/default ${at}`, { ...env, ...tokens })).toBe(1);
  expect(err.at(-1)).toContain('HTTP 422');
  expect(await run(`sweep ${at}`, { ...env, ...tokens })).toBe(2);
  expect(out.at(-1)).toMatch(/\/resync has queued all/);
  await until(
    'web has its address',
    () => addressOf(sandbox.kube.get('Service', 'default', 'web')) !== undefined,
  );
}, 30_000);

test('a command leaves the cluster to whoever comes next', async () => {
  const { sandbox, env } = await sandboxWorld();
  expect(await run('sweep', env)).toBe(0);
  const holders = sandbox.kube
    .list('Lease')
    .map(({ metadata, spec }) => [metadata.name, spec?.['holderIdentity']]);
  expect(holders).toEqual([
    ['levelset', ''],
    ['levelset-deployment', ''],
  ]);
});
