/** What only an operator can mend: a wrong password, a namespace that is not there, and a proxy that asks for an hour of patience. */
import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { Work } from '../../../functions/serve/work.ts';
import { connect } from '../../../functions/world.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { aConfig } from '../../support/config.ts';
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

/** A proxy before the OpenStack of a sandbox, whose page of maintenance asks for an hour. */
async function aProxy(authUrl: string) {
  const state = { isMaintained: true };
  const { hostname, port: targetPort } = new URL(authUrl);
  const server = http.createServer((request, response) => {
    if (state.isMaintained && request.url?.includes('lbaas')) {
      response.writeHead(503, { 'retry-after': '3600' }).end('<h1>maintenance</h1>');
      return;
    }
    const { method, url, headers } = request;
    const onward = http.request(
      { host: hostname, port: targetPort, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity/v3`;
  return { state, url };
}

test('Retry-After of an hour counts for five minutes, and for who asks meanwhile for half a minute', async () => {
  const it = await aWorld();
  it.sandbox.kube.apply(aService());
  const { state, url } = await aProxy(it.sandbox.authUrl);
  const world = await it.another({ ...aConfig(url), sweepIntervalMs: 100 });
  const cluster = async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName });
  const connected = { world, cluster, ready: () => Promise.resolve([]) };
  const reports: Report[] = [];
  let sweeps = 0;
  const work = new Work({
    connected,
    reported: (report) => {
      reports.push(report);
    },
    swept: () => {
      sweeps += 1;
    },
  });
  onTestFinished(() => work.stop());
  const key = 'service/default/web';
  const [first] = await work.reconcile([{ key, trigger: 'audit' }]);
  expect(first?.outcome).toMatchObject({ status: 'failed', retryAfterMs: 5 * 60_000 });

  state.isMaintained = false;
  work.start();
  while (sweeps <= 3) await pause(100);
  expect(reports).toHaveLength(1);

  const [second] = await work.reconcile([{ key, trigger: 'command' }]);
  const { outcome } = second ?? {};
  expect(outcome).toMatchObject({ status: 'failed' });
  expect(outcome?.status === 'failed' && outcome.retryAfterMs).toBeLessThanOrEqual(30_000);
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
