/** `levelset doctor` on the real parts: nothing wrong with what the lab has, and set-ups broken in one way each, mended by their remedy. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lab, labResources, runLevelset, writeCloudConfig } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { allRules, makeCredential } from '../lab/credential.ts';
import { cloudConfig as cloudConfText } from '../lab/cloud-config.ts';

const world = labWorld({ nodes: ['e2e-doctor-1'], levelsetByTest: true });

interface Finding {
  readonly area: string;
  readonly level: string;
  readonly what: string;
  readonly remedy?: string;
}

/** The exit code, and the failures. */
async function doctor(
  cloudConfig = world.cloudConfig,
): Promise<{ readonly code: number; readonly failures: readonly Finding[] }> {
  const { code, stdout, stderr } = await runLevelset(['doctor', '-o', 'json'], { cloudConfig });
  if (stdout === '') throw new Error(stderr);
  const findings = JSON.parse(stdout) as readonly Finding[];
  return { code, failures: findings.filter(({ level }) => level === 'failure') };
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
  ['another region', /^\[Global\]/m, '[Global]\nregion = Atlantis', /in the region "Atlantis"/],
  [
    'a network that is not there',
    /^floating-network-id = .*/m,
    'floating-network-id = "11111111-1111-4111-8111-111111111111"',
    /floating-network-id = 1{8}-.*: the project sees no such network/,
  ],
])('names %s, and the file that has it', async (name, from, to, what) => {
  const broken = await edited(`doctor-${name.replaceAll(' ', '-')}`, from, to);
  const { code, failures } = await doctor(broken);
  expect(code).toBe(1);
  expect(failures[0]?.what).toMatch(what);
  expect(failures[0]?.remedy).toContain(broken);
  const { code: mended } = await doctor(await writeCloudConfig(`doctor-${name.replaceAll(' ', '-')}`, {}));
  expect(mended).toBe(0);
});

it('names the access rule that a credential lacks, also for a call that writes', async () => {
  const rules = allRules().filter(({ method, path }) => method !== 'POST' || path !== '/v2.0/floatingips');
  const { cloud, remove } = await makeCredential(lab().levelsetPassword, rules);
  onTestFinished(remove);
  const file = join(lab().directory, 'doctor-rule.cloud.conf');
  await writeFile(file, cloudConfText(cloud, labResources()), { mode: 0o600 });

  const { code, failures } = await doctor(file);

  expect(code).toBe(1);
  expect(failures.map(({ what }) => what)).toEqual([
    expect.stringContaining('{"service":"network","method":"POST","path":"/v2.0/floatingips"}'),
  ]);
});
