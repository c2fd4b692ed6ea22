/** The generated admission policy in the real apiserver: its CEL compiles, it warns of mistakes, and of no value that levelset takes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { checkOf } from '../../../infra/kubernetes/admission-policy.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { manifestProblems } from '../../../shared/service/desired/desire-service.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { aConfig } from '../../support/config.ts';
import { aNamespace, aService, kubectl, lab, removeNamespace, until } from '../lab/lab.ts';
import { run, type Ran } from '../lab/run.ts';

const FILE = 'infra/kubernetes/admission-policy.yaml';
const VALUES = [
  '',
  ' ',
  'true',
  'FALSE',
  '\u00a0true',
  'x',
  '-1',
  '0',
  '11',
  '1.1',
  'v2',
  'a,b',
  '10.0.0.0/8',
  'fd00::/8, 10.0.0.0/33',
  'http',
  'TLSv1.2 tlsv1.3',
  '99999999999',
];

interface PolicyObject {
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

let namespace = '';
let name = '';

/** The policy for this namespace alone, which refuses. */
function confined(actions: readonly string[]): readonly PolicyObject[] {
  const documents = parseAllDocuments(readFileSync(FILE, 'utf8'));
  return documents.map((document) => {
    const { metadata, spec, ...object } = document.toJS() as PolicyObject;
    const where = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
    const isBinding = object.kind.endsWith('Binding');
    const own = isBinding
      ? { policyName: name, validationActions: actions, matchResources: where }
      : { matchConstraints: { ...(spec['matchConstraints'] as object), ...where } };
    return { ...object, metadata: { ...metadata, name }, spec: { ...spec, ...own } };
  });
}

const applyPolicy = (actions: readonly string[]): Promise<string> =>
  kubectl(
    ['apply', '-f', '-'],
    confined(actions)
      .map((one) => stringify(one))
      .join('---\n'),
  );

const dryCreate = (services: readonly object[]): Promise<Ran> =>
  run(lab().kubectl, ['--kubeconfig', lab().adminKubeconfig, 'create', '--dry-run=server', '-f', '-'], {
    input: services.map((service) => stringify(service)).join('---\n'),
  });

const annotated = (at: number, annotations: Record<string, string>): object =>
  aService(namespace, `s-${at}`, [{ port: 80 }], { annotations });

beforeAll(async () => {
  namespace = await aNamespace();
  name = `levelset-${namespace}`;
});

afterAll(async () => {
  const kinds = 'validatingadmissionpolicybinding,validatingadmissionpolicy';
  await kubectl(['delete', kinds, name, '--ignore-not-found']);
  await removeNamespace(namespace);
});

it('has CEL that the apiserver compiles and finds no fault with', async () => {
  await applyPolicy(['Warn']);
  await until('the types are checked', async () => {
    const status = await kubectl(['get', 'validatingadmissionpolicy', name, '-o', 'jsonpath={.status}']);
    return status.includes('typeChecking');
  });
  const warnings = ['-o', 'jsonpath={.status.typeChecking.expressionWarnings}'];
  expect(await kubectl(['get', 'validatingadmissionpolicy', name, ...warnings])).toBe('');
});

it('warns of a mistake, and lets the Service pass', async () => {
  const wrong = annotated(0, { 'levelset.openstack.org/protocol': 'ftp' });
  await until('the binding counts', async () => (await dryCreate([wrong])).stderr.includes('Warning'));
  const { code, stderr } = await dryCreate([wrong]);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'levelset.openstack.org/protocol must be one of tcp, http, https, terminated_https, prometheus',
  );
});

it('refuses nothing that levelset takes', async () => {
  await applyPolicy(['Deny']);
  const wrong = annotated(0, { 'levelset.openstack.org/protocol': 'ftp' });
  await until('the binding refuses', async () => (await dryCreate([wrong])).code !== 0);
  const rows = ANNOTATIONS.filter((row) => checkOf(row));
  const matrix = rows.flatMap((row) =>
    row.names.flatMap((key) => [...VALUES, row.example].map((value) => [key, value] as const)),
  );
  const services = matrix.map(([key, value], at) => annotated(at, { [key]: value }));
  const { stderr } = await dryCreate(services);
  const refused = [...stderr.matchAll(/services "s-(\d+)" is forbidden: .*denied request: (\S+) must be/g)];
  expect(refused).toHaveLength(stderr.trim().split('\n').length);
  for (const [line, at, key] of refused) {
    const problems = manifestProblems(services[Number(at)] as Service, aConfig());
    expect(
      problems.map(({ field }) => field),
      line,
    ).toContain(key);
  }
  const keys = new Set(refused.map(([, , key]) => key));
  expect(rows.flatMap(({ names }) => names).filter((key) => !keys.has(key))).toEqual([]);
  console.log(
    `admission policy: ${matrix.length} Services, ${refused.length} refused, none that levelset takes`,
  );
});
