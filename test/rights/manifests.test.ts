/** The manifests grant what the table of rights has, and levelset asks for no more outside of runs. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../infra/kubernetes/rights.ts';
import { textOf } from '../repo/files.ts';
import { grantsOf, NAMESPACE, namesOf, rightFor, wordsOf } from './grants.ts';
import { recordLeader, recordRegistry, recordWatch } from './recorded.ts';

interface RoleManifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly Readonly<
    Record<'apiGroups' | 'resources' | 'verbs', readonly string[]> & { resourceNames?: readonly string[] }
  >[];
}

/** `VERB RESOURCE.GROUP NAME in NAMESPACE`, what is not narrowed left out. */
const textFor = (verb: string, resource: string, name: string, namespace: string): string =>
  [verb, resource, name, namespace && `in ${namespace}`].filter((part) => part !== '').join(' ');

function grantedBy(file: string): readonly string[] {
  const manifests = parseAllDocuments(textOf(`infra/kubernetes/${file}.yaml`)).map(
    (one) => one.toJS() as RoleManifest,
  );
  return manifests.flatMap(({ kind, metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups: [group = ''], resources, verbs, resourceNames = [''] }) => {
      const of = group === '' ? '' : `.${group}`;
      const namespace = kind === 'Role' ? (metadata.namespace ?? NAMESPACE) : '';
      const named = resources.flatMap((one) => resourceNames.map((name) => [one + of, name] as const));
      return verbs.flatMap((verb) => named.map((one) => textFor(verb, ...one, namespace)));
    }),
  );
}

const inTable = ({ verb, resource, name, namespace }: ClusterRight): readonly string[] =>
  (name === undefined ? [''] : namesOf(name)).map((one) => textFor(verb, resource, one, namespace ?? ''));

const FILES = new Set(CLUSTER_RIGHTS.map(({ manifest }) => manifest));

test.each([...FILES])('infra/kubernetes/%s.yaml grants what rights.ts has, and no more', (manifest) => {
  const rows = CLUSTER_RIGHTS.filter((one) => one.manifest === manifest);
  expect(grantedBy(manifest).toSorted()).toEqual(rows.flatMap(inTable).toSorted());
});

test.each([
  ['the watches', recordWatch],
  ['the registry of Secrets', recordRegistry],
  ['a process that leads', recordLeader],
] as const)('%s: it asks for what the table has, and is told what is missing', async (scenario, record) => {
  const rights = CLUSTER_RIGHTS.filter((one) => one.scenario === scenario);
  const whole = await record(grantsOf(CLUSTER_RIGHTS));
  expect(whole.requests.filter(({ status }) => status === 403)).toEqual([]);
  expect(whole.requests.map(rightFor)).toEqual(expect.arrayContaining(rights.map(wordsOf)));
  for (const right of rights) {
    const isOther = (one: ClusterRight): boolean =>
      one.verb !== right.verb || one.resource !== right.resource;
    const { told } = await record(grantsOf(CLUSTER_RIGHTS.filter(isOther)));
    const [type = ''] = right.resource.split('.');
    expect(told, wordsOf(right)).toContain(`cannot ${right.verb} resource "${type}"`);
  }
});
