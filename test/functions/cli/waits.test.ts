/** Commands that wait, by a real clock. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('members that drain are something left to do: reconcile --wait waits for them', async () => {
  const { sandbox, env } = await sandboxWorld();
  const drain = '--connection-draining-timeout 5s';
  const members = (): number => sandbox.cloud.members.length;
  sandbox.kube.apply(aService('web'));
  expect(await run('reconcile --wait service/default/web', env)).toBe(0);
  const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-2', labels } });

  expect(await run(`plan ${drain}`, env)).toBe(0);
  expect(out.at(-1)).toMatch(
    / drains because its node leaves; levelset removes it in 5 s\n\nPlan: 0 to add, 1 to change, 0 to destroy\.$/,
  );
  expect(await run(`sweep --dry-run ${drain}`, env)).toBe(0);
  await until('the weight is written', async () => {
    expect(await run(`sweep ${drain}`, env)).toBe(2);
    return sandbox.cloud.members.some(({ weight }) => weight === 0);
  });
  expect(out.at(-1)).toMatch(/; 1 member drains$/);
  await until('nothing else is left to do', async () => {
    expect(await run(`reconcile service/default/web ${drain}`, env)).toBe(2);
    return /: settled, .*; 1 draining$/.test(out.at(-1) ?? '');
  });
  expect(members()).toBe(3);

  expect(await run(`reconcile --wait service/default/web ${drain}`, env)).toBe(0);
  expect(out.at(-1)).toMatch(/^service\/default\/web: settled, as desired, [\d.]+$/);
  expect(members()).toBe(2);
  expect(await run(`sweep ${drain}`, env)).toBe(0);
});

test('what waits for Keystone says so after 2 s, and stops after 10 s', async () => {
  const { env, flags } = await sandboxWorld();
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v3`;
  const conf = await readFile(flags.cloudConfig, 'utf8');
  await writeFile(flags.cloudConfig, conf.replace(/auth-url = .*/, `auth-url = ${url}`));

  const began = performance.now();
  expect(await run('plan', env)).toBe(1);
  expect(performance.now() - began).toBeLessThan(15_000);
  expect([...out, ...err]).toEqual([
    `levelset: warning: waiting for Keystone at ${url}`,
    `levelset: Keystone at ${url} did not answer within 10 s`,
  ]);
}, 20_000);
