/** `levelset doctor` on the real parts: nothing wrong with what the lab has, and set-ups broken in one way each, mended by their remedy. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kubectl, lab, labResources, runLevelset } from '../lab/lab.ts';
import type { LevelsetOptions } from '../lab/levelset.ts';
import { grantAgain } from '../lab/prepare-lab.ts';
import { must } from '../lab/run.ts';
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

it('finds no failure in the lab', async () => {
  expect(await doctor()).toEqual({ code: 0, failures: [] });
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
