/** Commands that wait, by a real clock. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

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
