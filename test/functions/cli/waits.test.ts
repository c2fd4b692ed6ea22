import { expect, test } from 'vitest';
import { replaceIn, sandboxWorld, silentUrl } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test('what waits for Keystone says so after 2 s, and stops after 10 s', async () => {
  const { env, flags } = await sandboxWorld();
  const url = `${await silentUrl()}/v3`;
  await replaceIn(flags.cloudConfig, /auth-url = .*/, `auth-url = ${url}`);

  const began = performance.now();
  expect(await run('plan', env)).toBe(1);
  expect(performance.now() - began).toBeLessThan(15_000);
  expect([...out, ...err]).toEqual([
    `levelset: warning: waiting for Keystone at ${url}`,
    `levelset: Keystone at ${url} did not answer within 10 s`,
  ]);
}, 20_000);
