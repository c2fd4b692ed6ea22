/** The program as a process of its own: how it starts, how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';

function start(line: string, env: NodeJS.ProcessEnv) {
  const words = ['functions/cli.ts', ...line.split(' ')];
  const child = spawn(process.execPath, words, { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  return {
    output: () => output,
    /** Exit code, or the signal that ended it, and how long that took. */
    end: async () => {
      const started = performance.now();
      child.kill('SIGTERM');
      const [code, ended] = (await exited) as [number | null, string | null];
      return { code: code ?? ended, ms: performance.now() - started };
    },
  };
}

test('serve ends on SIGTERM with 0, within seconds', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 60_000 });
  const serve = start('serve --listen 127.0.0.1:0', env);
  await until('it listens', () => serve.output().includes('"listening"'));
  sandbox.kube.apply(aService('web'));

  const { code, ms } = await serve.end();

  expect([code, ms < 15_000]).toEqual([0, true]);
  expect(serve.output()).not.toContain('token-');
});

test('the sandbox alone can be used by another process, as the release that is asked for', async () => {
  const sandbox = start('sandbox --openstack-release 2026.2', {});
  await until('it is up', () => sandbox.output().includes('Ctrl-C'));
  const exports = sandbox.output().matchAll(/export (\w+)=(\S+)/g);
  const env = Object.fromEntries([...exports].map(([, name = '', value = '']) => [name, value]));
  const plan = start('plan', env);

  await until('plan says something', () => plan.output().includes('Nothing to do'));
  const cloud = await readFile(env['LEVELSET_CLOUD_CONFIG'] ?? '', 'utf8');
  const octavia = (/auth-url = (\S+)/.exec(cloud)?.[1] ?? '').replace('identity/v3', 'load-balancer/');
  const versions = await (await fetch(octavia)).text();
  expect(/"(v[\d.]+)","status":"CURRENT"/.exec(versions)?.[1]).toBe('v2.30');

  expect((await sandbox.end()).code).toBe(0);
});

test('what nobody reads to its end, such as head, is no error', async () => {
  const help = spawn(process.execPath, ['functions/cli.ts', 'serve', '--help']);
  let told = '';
  help.stderr.on('data', (data: Buffer) => (told += data.toString()));
  help.stdout.destroy();
  expect(await once(help, 'exit')).toEqual([0, null]);
  expect(told).toBe('');
});
