/** What only an operator can mend: a wrong password and a namespace that is not there. */
import { expect, test } from 'vitest';
import { connect } from '../../../functions/world.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { replaceIn, sandboxWorld } from '../sandbox-world.ts';
import { running } from '../running.ts';

test('a password that was changed in cloud.conf is read after the refusal of the old one', async () => {
  const { flags } = await sandboxWorld();
  await replaceIn(flags.cloudConfig, /password = .*/, 'password = old');
  const connected = await connect({ flags, env: {}, log: SILENT });
  await replaceIn(flags.cloudConfig, /password = .*/, 'password = demo');
  expect(await connected.ready()).toEqual([]);
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
