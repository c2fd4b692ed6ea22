/** What the commands print of ten Services with a mistake each, as a person reads it. */
import { appendFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../infra/sandbox/sandbox.ts';
import { sandboxWorld, whatIsThere, type SandboxWorld } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

const FOLDER = join(import.meta.dirname, 'transcript');
const CLASSES = `
[LoadBalancer]
lb-method = LEAST_CONNECTIONS
[LoadBalancerClass "inner"]
network-id = 11111111-1111-4111-8111-111111111111
`;

/** The commands with what they print; ids, places and sizes have names in place of values. */
async function transcriptOf(lines: readonly string[], { env, flags }: SandboxWorld): Promise<string> {
  let transcript = '';
  for (const line of lines) {
    out.length = err.length = 0;
    const code = await run(line, env);
    transcript += [`$ levelset ${line}`, ...out, ...err, `exit ${code}`, '', ''].join('\n');
  }
  return transcript
    .replaceAll(`${FOLDER}/`, '')
    .replaceAll(`${dirname(flags.cloudConfig)}/`, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\d+ reads, \d+ KiB/g, 'N reads, N KiB');
}

/** Ten Services with a mistake each, in the file that they were applied from. */
async function tenMistakes(): Promise<
  SandboxWorld & { readonly file: string; readonly names: readonly string[] }
> {
  const world = await sandboxWorld();
  await appendFile(world.flags.cloudConfig, CLASSES);
  const file = join(FOLDER, 'services.yaml');
  const services = parseAllDocuments(await readFile(file, 'utf8')).map(
    (document) => document.toJS() as KubeObject,
  );
  expect(services).toHaveLength(10);
  world.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  for (const service of services) world.sandbox.kube.apply(service);
  return { ...world, file, names: services.map(({ metadata: { name } }) => name) };
}

test('lint and explain say of each mistake where it is, what holds instead, and what set that', async () => {
  const world = await tenMistakes();
  const { file, names, flags, sandbox } = world;
  const lint = `lint ${file} --cloud-config ${flags.cloudConfig}`;
  const explain = `explain -n shop ${names.map((name) => `svc/${name}`).join(' ')} svc/nobody`;
  const shown = await transcriptOf([lint, `${lint} -o yaml`, explain], world);
  await expect(shown).toMatchFileSnapshot(join(FOLDER, 'transcript.txt'));
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});

test('the other commands say what they would do about the same Services, why not, and what mends it', async () => {
  const world = await tenMistakes();
  const { sandbox, flags } = world;
  sandbox.cloud.quotas.floatingip = 0;
  const bundle = join(dirname(flags.cloudConfig), 'bundle.json');
  const lines = ['drift', 'adopt --report', 'doctor', 'gc'];
  const kept = [`support-bundle -o ${bundle}`, `replay ${bundle}`];
  const shown = await transcriptOf([...lines, ...kept], world);
  const named = shown
    .replaceAll(/[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/g, 'ID')
    .replaceAll(/levelset [0-9a-f]{12}/g, 'levelset HASH');
  await expect(named).toMatchFileSnapshot(join(FOLDER, 'commands.txt'));
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});
