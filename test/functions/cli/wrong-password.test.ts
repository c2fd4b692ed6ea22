/** Commands whose login OpenStack refuses. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

test.each(['plan', 'drift', 'sweep', 'gc', 'reconcile svc/web'])(
  '%s says once which user, which URL and which file, and nothing of the password',
  async (command) => {
    const { sandbox, env, flags } = await sandboxWorld();
    const conf = await readFile(flags.cloudConfig, 'utf8');
    await writeFile(flags.cloudConfig, conf.replace('password = demo', 'password = hunter2'));

    expect(await run(command, env)).toBe(1);

    expect(err.filter((line) => line.includes('refuses'))).toEqual([
      `levelset: warning: Keystone at ${sandbox.authUrl} refuses user "demo" of domain "Default" for project "demo" of domain "Default": correct the password or secret in ${flags.cloudConfig}`,
    ]);
    expect([...out, ...err].join('\n')).not.toMatch(/hunter2|"level"|No drift\.|as desired/);
  },
);
