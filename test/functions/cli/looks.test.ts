/** Commands that look and change nothing: objects, exit codes and outputs as people know them from kubectl and Terraform. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { failing } from '../../support/failing.ts';
import { aService, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';
import { expectTranscript, out, run } from './command-line.ts';
import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { coloured } from '../../../functions/cli/command.ts';

const LB_METHOD = 'loadbalancer.openstack.org/lb-method';

test('plan shows what a sweep would do and changes nothing, and what cannot be read is one clear line', async () => {
  const world = await sandboxWorld();
  const { sandbox, env } = world;
  sandbox.kube.apply(aService('web'));
  expect(await run('plan', env)).toBe(0);
  const plan = out.splice(0).join('\n');
  expect(await run('sweep --dry-run', env)).toBe(0);
  const counted = '1 Services and 3 Nodes, 3 already settled; 1 need work';
  expect(out.join('\n')).toBe(plan.replace(/\nPlan: .*$/, counted));

  const absent = ['svc/wbe', '-n shop svc/web', 'node/nobody', 'no/nobody'];
  const looks = ['plan', 'reconcile', 'drift'];
  await expectTranscript('plan', world, [
    'plan',
    'plan --detailed-exitcode',
    ...absent.flatMap((object) => looks.map((command) => `${command} ${object}`)),
    ...['plan --detailed-exitcode svc/no', 'plan -n shop', 'drift -n shop', 'reconcile ns/shop'],
    ...['plan -n shop all', 'plan -n shop service/default/web', 'plan pod/web', 'plan pod/default/web'],
    ...['explain -n shop svc/web', 'explain node/node-1', 'adopt', 'launch'],
    ...['plan --cloud-config /nowhere/cloud.conf', 'plan --reconcile-timeout soon', 'plan -o ymal'],
    ...['plan --cluster-cidrs=10.0.0.0/8', 'sandbox --openstack-release 2030.1'],
    'plan --leader-elect=false -n kube-system --detailed-exitcode',
  ]);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});

test('each output has the same content', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web'));
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  sandbox.kube.apply(aService('web', { [LB_METHOD]: 'SOURCE_IP' }));
  const lint = 'lint test/functions/cli/lint/mistakes.yaml';
  for (const command of ['plan', 'drift', 'gc', 'explain svc/web', lint]) {
    await run(`${command} -o json`, env);
    const rows = JSON.parse(out.at(-1) ?? '') as unknown;
    await run(`${command} -o yaml`, env);
    expect(parse(out.at(-1) ?? '')).toEqual(rows);
  }
});

test('a Service that is blocked ends with 1 for who looks at it; who repeats a sweep until it ends with 0 does not wait for its owner', async () => {
  const world = await sandboxWorld();
  world.sandbox.kube.apply(aService('web', { 'loadbalancer.openstack.org/class': 'nobody' }));
  const commands = ['plan svc/web', 'plan --detailed-exitcode', 'reconcile --dry-run svc/web'];
  await expectTranscript('blocked', world, [...commands, 'reconcile svc/web', 'sweep']);
});

test('drift prints the steps that put back what was settled, ends with 2, changes nothing, and with 0 after a sweep', async () => {
  const world = await sandboxWorld({ pendingMs: 1 });
  const { sandbox, env } = world;
  const { cloud, kube } = sandbox;
  const sweeps = () => until('a sweep finds nothing to do', async () => (await run('sweep', env)) === 0);
  const writes = () => sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/')).length;
  let before = 0;
  const unwritten = (): void => {
    expect(writes()).toBe(before);
  };
  const changed = (): void => {
    Object.assign(cloud.pools[0] ?? {}, { lb_algorithm: 'SOURCE_IP' });
    before = writes();
  };
  let end: () => unknown = () => undefined;
  const slow = (): void => {
    const match = { side: 'kube', method: 'GET', path: /configmaps/ } as const;
    end = sandbox.fault({ match, kind: 'call', before: () => pause(2_500), times: Infinity });
  };
  const refuses = (): void => {
    end();
    end = failing(sandbox, 'GET', /\/lbaas\/pools/, 403);
  };

  kube.apply(aService('web'));
  await sweeps();
  // so that no settled record is sure, however long the commands take
  for (const lb of cloud.loadbalancers) lb.updated_at = '2040-01-01T00:00:00';
  await sweeps();
  await expectTranscript('drift', world, [
    ...['drift', 'plan --detailed-exitcode svc/web'],
    ['somebody changes the pool', changed],
    ...['drift -o json service/default/web', 'plan -o wide'],
    ['the kube-apiserver takes two seconds for each ConfigMap: a person waits', slow],
    'drift',
    ['Octavia refuses to list pools', refuses],
    'drift',
    ['nothing was written', unwritten],
    'reconcile svc/web',
    ['Octavia lists them again', () => end()],
    ['a sweep puts it back', sweeps],
    'drift',
    ['there is a new Service', () => void kube.apply(aService('new'))],
    'drift',
  ]);
  expect(cloud.pools[0]?.['lb_algorithm']).toBe('ROUND_ROBIN');
});

test('adopt counts what plans empty, what is pending and what is a problem, and changes nothing', async () => {
  const world = await sandboxWorld({ pendingMs: 1 });
  const { sandbox, env } = world;
  const { cloud, kube } = sandbox;
  for (const name of ['web', 'api', 'old']) kube.apply(aService(name));
  const prod = 'sweep --cluster-name prod';
  await until('all have an address', async () => (await run(prod, env)) === 0);
  // as another controller left it: without levelset's tags
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.pools, ...cloud.floatingips])
    Object.assign(row, { tags: [] });
  const [lb] = cloud.loadbalancers;
  const changed = (): void => {
    const listener = cloud.listeners.find(({ name }) => name.includes('api'));
    Object.assign(listener ?? {}, { connection_limit: 7, updated_at: cloud.octaviaTime() });
    const annotations = { 'loadbalancer.openstack.org/flavor-id': 'no-id' };
    kube.apply({ kind: 'Service', metadata: { name: 'old', namespace: 'default', annotations } });
    const status = { loadBalancer: { ingress: [{ ip: '203.0.113.77' }] } };
    kube.apply({ ...aService('lost'), status });
  };
  await expectTranscript('adopt', world, [
    'adopt --report --cluster-name prod',
    ['two are changed, and one has an address of which OpenStack knows nothing', changed],
    'adopt --report --cluster-name prod',
    ['somebody forgets --cluster-name', () => undefined],
    ...['adopt --report', 'plan svc/web', 'reconcile svc/web'],
  ]);
  expect(lb).toMatchObject({ tags: [] });
});

const GOLDEN = ['plan', 'drift', 'explain'].map((name) => `test/golden/damages/${name}.txt`);

test.each(GOLDEN)('%s has colours on a terminal alone, and the same text', async (file) => {
  const text = await readFile(file, 'utf8');
  const shown = coloured(text, true, {});
  expect(shown).toContain('\u001b[');
  expect(stripVTControlCharacters(shown)).toBe(text);
  expect(coloured(text, true, { NO_COLOR: '1' })).toBe(text);
  expect(coloured(text, false, {})).toBe(text);
});
