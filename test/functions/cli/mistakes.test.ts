/** What the commands print of five Services with a mistake each, as a person reads it. */
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

const EXPLAINED =
  'explain -n shop svc/checks-off svc/ranges-twice svc/class-unknown svc/subnet-of-others svc/nobody';
const LOOKS = ['drift', 'adopt --report', 'doctor', 'gc', 'support-bundle -o BUNDLE', 'replay BUNDLE'];

test.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['mistakes-explained', undefined, [`lint ${SERVICES} --cloud-config CONFIG`, EXPLAINED]],
  ['mistakes-judged', ['no-method', 'class-unknown'], LOOKS],
])('%s: where each is, what holds instead, and what mends it', async (name, only, lines) => {
  const world = await sandboxWorld();
  const { sandbox, flags } = world;
  await appendFile(flags.cloudConfig, CLASSES);
  sandbox.cloud.quotas.floatingip = 0;
  sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  for (const document of parseAllDocuments(await readFile(SERVICES, 'utf8'))) {
    const service = document.toJS() as KubeObject;
    if (only?.includes(service.metadata.name) ?? true) sandbox.kube.apply(service);
  }
  const bundle = join(dirname(flags.cloudConfig), 'bundle.json');
  const typed = lines.map((line) => line.replace('CONFIG', flags.cloudConfig).replace('BUNDLE', bundle));
  await expectTranscript(name, world, typed);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
});
