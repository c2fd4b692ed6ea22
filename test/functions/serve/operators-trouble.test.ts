/** What only an operator can mend: a wrong password and a namespace that is not there. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { connect } from '../../../functions/world.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { pause, SILENT, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

async function aWorld(): Promise<SandboxWorld> {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  return it;
}

/** `cloud.conf` with another password. */
async function writePassword({ cloudConfig }: SandboxWorld, password: string): Promise<void> {
  const text = await readFile(cloudConfig, 'utf8');
  await writeFile(cloudConfig, text.replace(/password = .*/, `password = ${password}`));
}

function loginsOf({ sandbox }: SandboxWorld): number {
  return sandbox.requests.filter(({ path }) => path.includes('auth/tokens')).length;
}

test('a wrong password is one login, whatever runs, sweeps and asks', async () => {
  const it = await aWorld();
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  for (const name of names) it.sandbox.kube.apply(aService({ name }));
  await writePassword(it, 'old');
  const runs: Report[] = [];
  const serving = await serve({
    flags: {
      kubeconfig: it.kubeconfig,
      cloudConfig: it.cloudConfig,
      listen: '127.0.0.1:0',
      sweepInterval: '500ms',
    },
    env: {},
    log: SILENT,
    reported: (report) => {
      runs.push(report);
    },
  });
  onTestFinished(() => serving.stop());
  const asked = await Promise.all(Array.from({ length: 40 }, () => fetch(`${serving.url}/readyz`)));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([503]));
  expect(await asked[0]?.text()).toContain('openstack: get a token from Keystone');
  await pause(2_500);
  expect(runs.length).toBeGreaterThanOrEqual(names.length);
  expect(new Set(runs.map(({ outcome }) => 'code' in outcome && outcome.code))).toEqual(
    new Set(['UNAUTHORIZED']),
  );
  expect(loginsOf(it)).toBe(1);
});

test('a password that was changed in cloud.conf is read after the refusal of the old one', async () => {
  const it = await aWorld();
  await writePassword(it, 'old');
  const { kubeconfig, cloudConfig } = it;
  const connected = await connect({ flags: { kubeconfig, cloudConfig }, env: {}, log: SILENT });
  await writePassword(it, 'demo');
  expect(await connected.ready()).toEqual([]);
  expect(loginsOf(it)).toBe(2);
});

test.each(['admin', 'levelset'])(
  'without the namespace of its state nothing is ready, and one line says what to do, to whom RBAC says it first or not (%s)',
  async (user) => {
    const it = await aWorld();
    if (user === 'admin') {
      const text = await readFile(it.kubeconfig, 'utf8');
      await writeFile(it.kubeconfig, text.replace(it.sandbox.kubeToken, it.sandbox.adminToken));
    }
    const warned: string[] = [];
    const serving = await serve({
      flags: {
        kubeconfig: it.kubeconfig,
        cloudConfig: it.cloudConfig,
        listen: '127.0.0.1:0',
        stateNamespace: 'gone',
      },
      env: {},
      log: { ...SILENT, warn: (line) => void warned.push(line) },
    });
    onTestFinished(() => serving.stop());

    await expect.poll(() => warned.filter((line) => line.includes('create namespace'))).toHaveLength(1);
    const answer = await fetch(`${serving.url}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('kubectl create namespace gone'),
    ]);

    it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'gone' } });
    if (user === 'admin')
      await expect
        .poll(async () => (await fetch(`${serving.url}/readyz`)).status, { timeout: 9_000 })
        .toBe(200);
    expect(warned.filter((line) => line.includes('create namespace'))).toHaveLength(1);
  },
);

test('readiness names the side that is missing', async () => {
  const it = await aWorld();
  const { kubeconfig, cloudConfig } = it;
  const serving = await serve({
    flags: { kubeconfig, cloudConfig, listen: '127.0.0.1:0' },
    ...{ env: {}, log: SILENT },
  });
  onTestFinished(() => serving.stop());
  const answer = async (): Promise<string> => (await fetch(`${serving.url}/readyz`)).text();
  await expect.poll(answer).toBe('ok\n');
  it.sandbox.keystone.revokeTokens();
  it.sandbox.fault({ match: { side: 'kube', path: /readyz/ }, times: 99, kind: 'fail-before' });

  // the look before counts for 5 s
  await expect.poll(answer, { timeout: 15_000 }).toMatch(/^kubernetes: .+\n$/);
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(503);
});
