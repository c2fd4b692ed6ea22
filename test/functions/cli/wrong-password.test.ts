/** Commands whose login OpenStack refuses, or that get no answer: one line, however many Services there are. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { aService, sandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test.each(['plan', 'drift', 'sweep', 'gc', 'reconcile svc/web', 'adopt --report'])(
  '%s says once which user, which URL and which file, and nothing of the password',
  async (command) => {
    const { sandbox, env, flags } = await sandboxWorld();
    for (const name of ['web', 'api', 'old']) sandbox.kube.apply(aService(name));
    const conf = await readFile(flags.cloudConfig, 'utf8');
    await writeFile(flags.cloudConfig, conf.replace('password = demo', 'password = hunter2'));

    expect(await run(command, env)).toBe(1);

    expect(err.filter((line) => line.includes('refuses'))).toEqual([
      `levelset: warning: Keystone at ${sandbox.authUrl} refuses user "demo" of domain "Default" for project "demo" of domain "Default": correct the password or secret in ${flags.cloudConfig}`,
    ]);
    if (command !== 'gc') expect([...out, ...err]).toHaveLength(1);
    expect([...out, ...err].join('\n')).not.toMatch(/hunter2|"level"|No drift\.|as desired/);
  },
);

test('a support bundle is written without Keystone, too: somebody has to find out why', async () => {
  const { env, flags } = await sandboxWorld();
  const conf = await readFile(flags.cloudConfig, 'utf8');
  await writeFile(flags.cloudConfig, conf.replace(/auth-url = .*/, 'auth-url = http://127.0.0.1:9/v3'));
  expect(await run(`support-bundle -o ${flags.cloudConfig}.json`, env)).toBe(1);
  expect(out.at(-1)).toMatch(/\d+ reads, /);
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

test.each(['plan', 'sweep', 'adopt --report'])(
  '%s has one line for what Services fail of alike',
  async (command) => {
    const { sandbox, env } = await sandboxWorld();
    for (const name of ['web', 'api', 'old']) sandbox.kube.apply(aService(name));
    sandbox.fault({ kind: 'fail-before', status: 503, match: { path: /lbaas/ }, times: Infinity });
    expect(await run(command, env)).toBe(1);
    expect([...out, ...err].join('\n').match(/3 Services(?! and)/g)).toHaveLength(1);
  },
);
