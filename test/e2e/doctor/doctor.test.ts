/** `levelset doctor` on the real parts: nothing wrong with what the lab has, and set-ups broken in one way each, mended by their remedy. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kubectl, lab, labResources, runLevelset, startLevelset, writeCloudConfig } from '../lab/lab.ts';
import type { LevelsetOptions } from '../lab/levelset.ts';
import { grantAgain } from '../lab/prepare-lab.ts';
import { must } from '../lab/run.ts';
import { labWorld } from '../lab/lab-world.ts';
import { allRules, makeCredential } from '../lab/credential.ts';
import { cloudConfig as cloudConfText, type Sections } from '../lab/cloud-config.ts';

const world = labWorld({ nodes: ['e2e-doctor-1'], levelsetByTest: true });

interface Finding {
  readonly area: string;
  readonly level: string;
  readonly what: string;
  readonly remedy?: string;
}

/** The exit code, and the failures. */
async function doctor(
  options: LevelsetOptions = {},
): Promise<{ readonly code: number; readonly failures: readonly Finding[] }> {
  const { cloudConfig } = world;
  const { code, stdout, stderr } = await runLevelset(['doctor', '-o', 'json'], { cloudConfig, ...options });
  if (stdout === '') throw new Error(stderr);
  const findings = JSON.parse(stdout) as readonly Finding[];
  return { code, failures: findings.filter(({ level }) => level === 'failure') };
}

/** Pastes the last line of a remedy into a terminal of the administrator. */
async function follow(finding: Finding | undefined): Promise<void> {
  const command = finding?.remedy?.split('\n').at(-1) ?? '';
  const { adminKubeconfig: KUBECONFIG, kubectl: its } = lab();
  await must('bash', ['-c', `kubectl() { ${its} "$@"; }; cd ${lab().repository}; ${command}`], {
    env: { KUBECONFIG },
  });
}

/** The cloud.conf of the lab with another text in it. */
async function edited(name: string, from: RegExp, to: string): Promise<string> {
  const file = await writeCloudConfig(name, {});
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to), { mode: 0o600 });
  return file;
}

it('finds no failure in the lab', async () => {
  expect(await doctor()).toEqual({ code: 0, failures: [] });
});

it.each([
  ['a wrong secret', /^(password|application-credential-secret) = .*/m, '$1 = "wrong"', /Keystone refuses/],
  ['a wrong auth-url', /^auth-url = .*/m, 'auth-url = "http://127.0.0.1:9/v3"', /Keystone does not answer/],
  ['another region', /^region = .*/m, 'region = Atlantis', /in the region "Atlantis"/],
  [
    'a network that is not there',
    /^floating-network-id = .*/m,
    'floating-network-id = "11111111-1111-4111-8111-111111111111"',
    /floating-network-id = 1{8}-.*: the project sees no such network/,
  ],
])('names %s, and the file that has it', async (name, from, to, what) => {
  const broken = await edited(`doctor-${name.replaceAll(' ', '-')}`, from, to);
  const { code, failures } = await doctor({ cloudConfig: broken });
  expect(code).toBe(1);
  expect(failures[0]?.what).toMatch(what);
  expect(failures[0]?.remedy).toContain(broken);
  const mended = await writeCloudConfig(`doctor-${name.replaceAll(' ', '-')}`, {});
  expect(await doctor({ cloudConfig: mended })).toEqual({ code: 0, failures: [] });
});

it('names a provider that Octavia does not have, to a user who may list them', async () => {
  const file = join(lab().directory, 'doctor-provider.cloud.conf');
  const write = (more: Sections): Promise<void> =>
    writeFile(file, cloudConfText(lab().levelsetPassword, labResources(), more), { mode: 0o600 });
  await write({ LoadBalancer: { 'lb-provider': 'f5' } });
  const { code, failures } = await doctor({ cloudConfig: file });
  expect(code).toBe(1);
  const [, provider = ''] =
    /lb-provider in \[LoadBalancer\] of \S+ to one of (\w+)/.exec(failures[0]?.remedy ?? '') ?? [];
  await write({ LoadBalancer: { 'lb-provider': provider } });
  expect(await doctor({ cloudConfig: file })).toEqual({ code: 0, failures: [] });
});

it.each([
  ['whose token is none', /token: .*/, 'token: of-yesterday', /refuses the credential/, /auth whoami$/],
  [
    'whose server answers nothing',
    /server: .*/,
    'server: https://127.0.0.1:9',
    /ECONNREFUSED/,
    /get --raw \/readyz$/,
  ],
])('names the kubeconfig %s', async (name, from, to, what, remedy) => {
  const whole = await readFile(lab().levelsetKubeconfig, 'utf8');
  const kubeconfig = join(lab().directory, `doctor-${name.replaceAll(' ', '-')}.kubeconfig`);
  await writeFile(kubeconfig, whole.replace(from, to), { mode: 0o600 });
  const { code, failures } = await doctor({ kubeconfig });
  expect(code).toBe(1);
  expect(failures[0]?.what).toMatch(what);
  expect(failures[0]?.what).toContain(kubeconfig);
  expect(failures[0]?.remedy).toMatch(remedy);
  await writeFile(kubeconfig, whole);
  expect(await doctor({ kubeconfig })).toEqual({ code: 0, failures: [] });
});

it('names the rights that a ServiceAccount lacks, and its remedy grants them', async () => {
  onTestFinished(grantAgain);
  await kubectl(['delete', 'clusterrolebinding', 'levelset']);
  const { code, failures } = await doctor();
  expect(code).toBe(1);
  expect(failures.map(({ what }) => what)).toContainEqual(
    expect.stringContaining('Kubernetes does not grant patch services/status'),
  );
  await follow(failures[0]);
  expect(await doctor()).toEqual({ code: 0, failures: [] });
  expect(await kubectl(['-n', 'default', 'get', 'roles,rolebindings', '-o', 'name'])).toBe('');
});

it('names a server that is not there', async () => {
  const args = ['--server-url', `https://${lab().listen}`];
  const env = { NODE_EXTRA_CA_CERTS: lab().tls?.ca ?? '' };
  const { code, failures } = await doctor({ args, env });
  expect(code).toBe(1);
  expect(failures.map(({ what }) => what)).toEqual([expect.stringContaining('levelset does not answer at')]);
  await startLevelset({ cloudConfig: world.cloudConfig });
  expect(await doctor({ args, env })).toEqual({ code: 0, failures: [] });
});

it('names the access rule that a credential lacks, also for a call that writes', async () => {
  const rules = allRules().filter(({ method, path }) => method !== 'POST' || path !== '/v2.0/floatingips');
  const { cloud, remove } = await makeCredential(lab().levelsetPassword, rules);
  onTestFinished(remove);
  const file = join(lab().directory, 'doctor-rule.cloud.conf');
  await writeFile(file, cloudConfText(cloud, labResources()), { mode: 0o600 });

  const { code, failures } = await doctor({ cloudConfig: file });

  expect(code).toBe(1);
  expect(failures.map(({ what }) => what)).toEqual([
    expect.stringContaining('{"service":"network","method":"POST","path":"/v2.0/floatingips"}'),
  ]);
});
