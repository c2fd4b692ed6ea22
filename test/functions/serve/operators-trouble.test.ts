/** What only an operator can mend: a wrong password and a namespace that is not there. */
import { expect, test } from 'vitest';
import { connect } from '../../../functions/world.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { pause, SILENT } from '../../support/sandbox-world.ts';
import { aService, replaceIn, sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { running } from '../running.ts';

const writePassword = ({ flags }: SandboxWorld, password: string): Promise<void> =>
  replaceIn(flags.cloudConfig, /password = .*/, `password = ${password}`);

const loginsOf = ({ sandbox }: SandboxWorld): number =>
  sandbox.requests.filter(({ path }) => path.includes('auth/tokens')).length;

test('a wrong password is one login, whatever runs, sweeps and asks', async () => {
  const it = await sandboxWorld();
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  for (const name of names) it.sandbox.kube.apply(aService(name));
  await writePassword(it, 'old');
  const runs: Report[] = [];
  const reported = (report: Report): void => void runs.push(report);
  const { url } = await running(it, { sweepInterval: '500ms' }, { env: {}, reported });
  const asked = await Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/readyz`)));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([503]));
  expect(await asked[0]?.text()).toContain('openstack: get a token from Keystone');
  await pause(2_500);
  expect(runs.length).toBeGreaterThanOrEqual(names.length);
  const codes = runs.map(({ outcome }) => 'code' in outcome && outcome.code);
  expect(new Set(codes)).toEqual(new Set(['UNAUTHORIZED']));
  expect(loginsOf(it)).toBe(1);
});

test('a password that was changed in cloud.conf is read after the refusal of the old one', async () => {
  const it = await sandboxWorld();
  await writePassword(it, 'old');
  const connected = await connect({ flags: it.flags, env: {}, log: SILENT });
  await writePassword(it, 'demo');
  expect(await connected.ready()).toEqual([]);
  expect(loginsOf(it)).toBe(2);
});

test.each(['admin', 'levelset'])(
  'without the namespace of its state nothing is ready, and one line says what to do, to whom RBAC says it first or not (%s)',
  async (user) => {
    const it = await sandboxWorld();
    const { kubeToken, adminToken } = it.sandbox;
    if (user === 'admin') await replaceIn(it.flags.kubeconfig, kubeToken, adminToken);
    const { url, warnings } = await running(it, { stateNamespace: 'gone' }, { env: {} });
    const told = () => warnings.filter((line) => line.includes('create namespace'));

    await expect.poll(told).toHaveLength(1);
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('kubectl create namespace gone');

    it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'gone' } });
    if (user === 'admin')
      await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 9_000 }).toBe(200);
    expect(told()).toHaveLength(1);
  },
);
