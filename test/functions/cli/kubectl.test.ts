/** Objects, exit codes and outputs as people know them from kubectl and Terraform. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { aService, sandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('svc/NAME and -n name a Service; what does not exist is not found, and something gone with something left is not', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web'));
  for (const object of [
    'svc/web',
    'service/web -n default',
    '-n default services/web',
    'service/default/web',
  ]) {
    expect(await run(`plan ${object}`, env)).toBe(0);
    expect(out.at(-1)).toMatch(
      /^default\/web: 2 to create\n[^]*\n\nPlan: 2 to add, 0 to change, 0 to destroy\.$/,
    );
  }
  expect(await run('plan -n default', env)).toBe(0);
  expect(out.at(-1)).toContain('default/web: 2 to create');
  for (const command of ['plan', 'reconcile', 'drift']) {
    out.length = 0;
    for (const object of ['svc/wbe', '-n shop svc/web', 'node/nobody', 'no/nobody']) {
      expect(await run(`${command} ${object}`, env)).toBe(1);
      expect(err.at(-1)).toMatch(/^levelset: (service\/(default\/wbe|shop\/web)|node\/nobody) not found$/);
    }
    expect(out).toEqual([]);
  }
  for (const object of ['-n shop all', '-n shop service/default/web', 'pod/web']) {
    expect(await run(`plan ${object}`, env)).toBe(1);
    expect(err.at(-1)).toMatch(/^levelset: (-n shop is not for|"pod\/web" is not an object)/);
  }

  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  sandbox.kube.delete('Service', 'default', 'web');
  expect(await run('plan svc/web', env)).toBe(0);
  expect(out.at(-1)).toMatch(/Plan: 0 to add, 0 to change, [12] to destroy\.$/);
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  expect(await run('reconcile --wait svc/web', env)).toBe(1);
});

test('--detailed-exitcode ends with 2 if there are changes and with 0 if there are none', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web'));
  expect(await run('plan --detailed-exitcode', env)).toBe(2);
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  expect(await run('plan --detailed-exitcode svc/web', env)).toBe(0);
  expect(out.at(-1)).toMatch(/Plan: 0 to add, 0 to change, 0 to destroy\.$/);
  expect(await run('plan --detailed-exitcode svc/no', env)).toBe(1);
});

test('a Service that is blocked, and a namespace that is not there, end with 1', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web', { 'loadbalancer.openstack.org/class': 'nobody' }));
  for (const line of [
    'plan',
    'plan svc/web',
    'plan --detailed-exitcode',
    'reconcile --dry-run svc/web',
    'reconcile svc/web',
    'plan',
  ]) {
    expect(await run(line, env), line).toBe(1);
    expect(out.at(-1)).toContain('"nobody"');
  }
  // whoever repeats a sweep until it ends with 0 does not wait for the owner of a Service
  expect(await run('sweep', env)).toBe(0);
  out.length = 0;
  for (const command of ['plan', 'plan --detailed-exitcode', 'reconcile', 'drift']) {
    const objects = command === 'reconcile' ? 'ns/shop' : '-n shop';
    expect(await run(`${command} ${objects}`, env), command).toBe(1);
    expect(err.at(-1)).toBe('levelset: namespace/shop not found');
  }
  expect(out).toEqual([]);
  expect(await run('plan -n kube-system --detailed-exitcode', env)).toBe(0);
});

test('json and yaml have the same content, wide has the ids', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web'));
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  const annotations = { 'loadbalancer.openstack.org/lb-method': 'SOURCE_IP' };
  sandbox.kube.apply(aService('web', annotations));
  for (const command of ['plan', 'drift', 'gc']) {
    await run(`${command} -o json`, env);
    const rows = JSON.parse(out.at(-1) ?? '') as unknown;
    await run(`${command} -o yaml`, env);
    expect(parse(out.at(-1) ?? '')).toEqual(rows);
  }
  expect(await run('plan -o wide', env)).toBe(0);
  expect(out.at(-1)).toContain(
    `  ~ pool/tcp/80  [${String(sandbox.cloud.pools[0]?.id)}]\n      lb_algorithm`,
  );
  expect(await run('plan -o csv', env)).toBe(1);
  expect(err.at(-1)).toMatch(
    /\n {2}-o, --output has a value that is not allowed: give one of text, wide, json, yaml$/,
  );
});

test('reconcile says what the Event says: the advice on an error, and each annotation that does not count', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply(aService('web', { 'loadbalancer.openstack.org/lb-method': 'RANDOM' }));
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  expect(out.at(-1)).toMatch(
    /^service\/default\/web: settled, as desired, .*\n {2}loadbalancer.openstack.org\/lb-method "RANDOM" must be ROUND_ROBIN, .*; levelset ignores it$/,
  );
  const match = { method: 'GET', path: /\/lbaas\/pools/ };
  sandbox.fault({ match, kind: 'fail-before', status: 403, times: Infinity });
  expect(await run('reconcile svc/web', env)).toBe(1);
  expect(out.at(-1)).toMatch(/: failed, .* \(give the OpenStack user the role that allows this call/);
});
