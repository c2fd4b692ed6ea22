/** What `levelset lint` and `levelset explain` print of ten Services with a mistake each, as a person reads it. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../infra/sandbox/sandbox.ts';
import { sandboxWorld, whatIsThere } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

const FOLDER = join(import.meta.dirname, 'transcript');
const CLASSES = `
[LoadBalancer]
lb-method = LEAST_CONNECTIONS
[LoadBalancerClass "inner"]
network-id = 11111111-1111-4111-8111-111111111111
`;

test('lint and explain say of each mistake where it is, what holds instead, and what set that', async () => {
  const { sandbox, env, flags } = await sandboxWorld();
  await appendFile(flags.cloudConfig, CLASSES);
  const file = join(FOLDER, 'services.yaml');
  const services = parseAllDocuments(await readFile(file, 'utf8')).map(
    (document) => document.toJS() as KubeObject,
  );
  expect(services).toHaveLength(10);
  sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  for (const service of services) sandbox.kube.apply(service);

  const objects = services.map(({ metadata: { name } }) => `svc/${name}`).join(' ');
  let transcript = '';
  for (const line of [
    `lint ${file} --cloud-config ${flags.cloudConfig}`,
    `lint ${file} --cloud-config ${flags.cloudConfig} -o yaml`,
    `explain -n shop ${objects} svc/nobody`,
  ]) {
    out.length = err.length = 0;
    const code = await run(line, env);
    transcript += [`$ levelset ${line}`, ...out, ...err, `exit ${code}`, '', ''].join('\n');
  }
  const shown = transcript.replaceAll(file, 'services.yaml').replaceAll(flags.cloudConfig, 'cloud.conf');
  await expect(shown).toMatchFileSnapshot(join(FOLDER, 'transcript.txt'));
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0, leases: 0 });
});
