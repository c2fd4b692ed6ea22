/** Commands whose login OpenStack refuses, or that fail alike: one line, however many Services there are. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { aService, sandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('a wrong password is told once, with the user, the URL and the file, and nothing of the password', async () => {
  const { sandbox, env, flags } = await sandboxWorld();
  for (const name of ['web', 'api', 'old']) sandbox.kube.apply(aService(name));
  const conf = await readFile(flags.cloudConfig, 'utf8');
  await writeFile(flags.cloudConfig, conf.replace('password = demo', 'password = hunter2'));

  for (const command of ['plan', 'drift', 'sweep', 'gc', 'reconcile svc/web', 'adopt --report']) {
    out.length = err.length = 0;
    expect(await run(command, env), command).toBe(1);

    expect(
      err.filter((line) => line.includes('refuses')),
      command,
    ).toEqual([
      `levelset: warning: Keystone at ${sandbox.authUrl} refuses user "demo" of domain "Default" for project "demo" of domain "Default": correct the password or secret in ${flags.cloudConfig}`,
    ]);
    if (command !== 'gc') expect([...out, ...err]).toHaveLength(1);
    expect([...out, ...err].join('\n')).not.toMatch(/hunter2|"level"|No drift\.|as desired/);
  }
});

test('a support bundle is written without Keystone, too: somebody has to find out why', async () => {
  const { env, flags } = await sandboxWorld();
  const conf = await readFile(flags.cloudConfig, 'utf8');
  await writeFile(flags.cloudConfig, conf.replace(/auth-url = .*/, 'auth-url = http://127.0.0.1:9/v3'));
  expect(await run(`support-bundle -o ${flags.cloudConfig}.json`, env)).toBe(1);
  expect(out.at(-1)).toMatch(/\d+ reads, /);
});

test('what Services fail of alike is one line', async () => {
  const { sandbox, env } = await sandboxWorld();
  for (const name of ['web', 'api', 'old']) sandbox.kube.apply(aService(name));
  sandbox.fault({ kind: 'fail-before', status: 503, match: { path: /lbaas/ }, times: Infinity });
  for (const command of ['plan', 'sweep', 'adopt --report']) {
    out.length = err.length = 0;
    expect(await run(command, env), command).toBe(1);
    expect([...out, ...err].join('\n').match(/3 Services(?! and)/g), command).toHaveLength(1);
  }
});
