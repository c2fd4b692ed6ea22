/** One namespace of levelset's own, wherever it is named (decision 347). */
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { FLAGS } from '../../shared/config/flags.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import { filesOf, linesWith, textOf } from './files.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata?: { readonly name: string; readonly namespace?: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const FOLDER = 'infra/kubernetes';
const NAMESPACE = FLAGS['state-namespace'].default;
/** Without warnings about the tags of CloudFormation. */
const read = (path: string): unknown => parse(textOf(path), { logLevel: 'error' });
const kustomization = read(`${FOLDER}/kustomization.yaml`) as {
  readonly namespace: string;
  readonly resources: readonly string[];
};
const manifests = (file: string): readonly Manifest[] =>
  parseAllDocuments(textOf(`${FOLDER}/${file}`)).map((one) => one.toJS() as Manifest);
const applied = kustomization.resources.flatMap(manifests);

test('the manifests put all that has a namespace into it, and make it', () => {
  expect(kustomization.namespace).toBe(NAMESPACE);
  const made = applied.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata?.name);
  expect(made).toEqual([NAMESPACE]);
  expect(applied.flatMap(({ metadata }) => metadata?.namespace ?? [])).toEqual([]);
});

test('every binding is for the ServiceAccount of the flag', () => {
  const examples = manifests('tls-secrets.example.yaml');
  const bindings = [...applied, ...examples].flatMap(({ subjects }) => subjects ?? []);
  expect(bindings.length).toBeGreaterThan(5);
  const [namespace, name] = FLAGS['service-account'].default.split('/');
  for (const subject of bindings) expect(subject).toEqual({ kind: 'ServiceAccount', name, namespace });
  expect(namespace).toBe(NAMESPACE);
});

test('the files of the apiserver and the functions on AWS name it', () => {
  const { rules } = read(`${FOLDER}/audit-policy.yaml`) as {
    rules: readonly { users?: readonly string[] }[];
  };
  expect(rules[0]?.users).toEqual([serviceAccountUser(FLAGS['service-account'].default)]);
  const { clusters } = read(`${FOLDER}/audit-webhook.kubeconfig.yaml`) as {
    clusters: readonly { cluster: object }[];
  };
  expect(clusters[0]?.cluster).toMatchObject({ 'tls-server-name': `levelset.${NAMESPACE}.svc` });
  const { params } = read('serverless.yml') as { params: { default: object } };
  const ofFile = (name: string, otherwise: string): string => `\${self:custom.given.${name}, '${otherwise}'}`;
  expect(params.default).toMatchObject({
    'state-namespace': ofFile('state-namespace', NAMESPACE),
    'service-account': ofFile('service-account', FLAGS['service-account'].default),
  });
});

test('no command of the documents looks for levelset elsewhere', () => {
  const files = ['README.md', ...filesOf('docs/*.md'), ...filesOf('infra/*/README.md')];
  const elsewhere = /(-n|--namespace)[ =]kube-system\b.*levelset|levelset\.kube-system/;
  expect(files.length).toBeGreaterThan(20);
  expect(linesWith(elsewhere, files)).toEqual([]);
});
