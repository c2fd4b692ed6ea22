/** What the commands print of ten Services with a mistake each, as a person reads it. */
import { appendFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../infra/sandbox/sandbox.ts';
import { sandboxWorld, whatIsThere } from '../sandbox-world.ts';
import { expectTranscript } from './command-line.ts';

const SERVICES = join(import.meta.dirname, 'transcript/services.yaml');
const CLASSES = `
[LoadBalancer]
lb-method = LEAST_CONNECTIONS
monitor-delay = 7s
[LoadBalancerClass "inner"]
network-id = 11111111-1111-4111-8111-111111111111
`;

test.each<[string, readonly string[] | undefined, (file: string, cloudConfig: string) => readonly string[]]>([
  [
    'mistakes-explained',
    undefined,
    (file, cloudConfig) => [
      `lint ${file} --cloud-config ${cloudConfig}`,
      `lint ${file} --cloud-config ${cloudConfig} -o yaml`,
      'explain -n shop svc/checks-off svc/ranges-twice svc/class-unknown svc/subnet-of-others svc/nobody',
    ],
  ],
  [
    'mistakes-judged',
    ['no-method', 'class-unknown'],
    (_, cloudConfig) => {
      const bundle = join(dirname(cloudConfig), 'bundle.json');
      const looks = ['drift', 'adopt --report', 'doctor', 'gc'];
      return [...looks, `support-bundle -o ${bundle}`, `replay ${bundle}`];
    },
  ],
])('%s: where each is, what holds instead, and what mends it', async (name, only, linesFor) => {
  const world = await sandboxWorld();
  const { sandbox, flags } = world;
  await appendFile(flags.cloudConfig, CLASSES);
  sandbox.cloud.quotas.floatingip = 0;
  sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  for (const document of parseAllDocuments(await readFile(SERVICES, 'utf8'))) {
    const service = document.toJS() as KubeObject;
    if (only?.includes(service.metadata.name) ?? true) sandbox.kube.apply(service);
  }
  await expectTranscript(name, world, linesFor(SERVICES, flags.cloudConfig));
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});
