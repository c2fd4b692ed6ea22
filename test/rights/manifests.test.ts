/** The manifests, the table of rights and what the sandbox's apiserver grants levelset are the same. */
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { levelsetGrants } from '../../infra/sandbox/kube/kube-access.ts';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../infra/kubernetes/rights.ts';
import { textOf } from '../repo/files.ts';
import { grantsOf, NAMESPACE, namesOf, wordsOf } from './grants.ts';
import { rightFor, type RoleManifest } from '../repo/kubernetes-rights.ts';
import { recordLeader, recordRegistry, recordWatch, type Recorded } from './recorded.ts';

/** `VERB RESOURCE.GROUP NAME in NAMESPACE`, what is not narrowed left out. */
function grantedBy(file: string): readonly string[] {
  const manifests = parseAllDocuments(textOf(`infra/kubernetes/${file}.yaml`)).map(
    (one) => one.toJS() as RoleManifest,
  );
  return manifests.flatMap(({ kind, metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups: [group = ''], resources, verbs, resourceNames = [''] }) =>
      verbs.flatMap((verb) =>
        resources.flatMap((resource) =>
          resourceNames.map((name) =>
            textFor({
              ...{ verb, name, resource: group === '' ? resource : `${resource}.${group}` },
              namespace: kind === 'Role' ? (metadata.namespace ?? NAMESPACE) : '',
            }),
          ),
        ),
      ),
    ),
  );
}

type Granted = Readonly<Record<'verb' | 'resource' | 'name' | 'namespace', string>>;

const textFor = ({ verb, resource, name, namespace }: Granted): string =>
  [verb, resource, name, namespace && `in ${namespace}`].filter((part) => part !== '').join(' ');

const inTable = ({ verb, resource, name, namespace }: ClusterRight): readonly string[] =>
  (name === undefined ? [''] : namesOf(name)).map((one) =>
    textFor({ verb, resource, name: one, namespace: namespace ?? '' }),
  );

test.each([...new Set(CLUSTER_RIGHTS.map(({ manifest }) => manifest))])(
  'infra/kubernetes/%s.yaml grants what infra/kubernetes/rights.ts has, and no more',
  (manifest) => {
    const rows = CLUSTER_RIGHTS.filter((one) => one.manifest === manifest);
    expect(grantedBy(manifest).toSorted()).toEqual(rows.flatMap(inTable).toSorted());
  },
);

test('the sandbox grants levelset no more', () => {
  const flat = (grants: typeof levelsetGrants): readonly string[] => [
    ...new Set(
      grants.flatMap(({ verbs, resources, namespace = '' }) =>
        verbs.flatMap((verb) => resources.map((resource) => `${verb} ${resource} ${namespace}`)),
      ),
    ),
  ];
  const all = flat(levelsetGrants).map((one) => one.replace('levelset-state', NAMESPACE));
  expect([...new Set(all)].sort()).toEqual(flat(grantsOf(CLUSTER_RIGHTS)).toSorted());
});

describe.each([
  ['the watches', recordWatch],
  ['the registry of Secrets', recordRegistry],
  ['a process that leads', recordLeader],
] as const)('%s', (scenario, record) => {
  const asked = ({ requests }: Recorded): ReadonlySet<string> =>
    new Set(requests.map((call) => rightFor(call, NAMESPACE)));
  const rights = CLUSTER_RIGHTS.filter((one) => one.scenario === scenario);

  test('asks for what the table has, and is told what is missing', async () => {
    const whole = await record(grantsOf(CLUSTER_RIGHTS));
    expect(whole.requests.filter(({ status }) => status === 403)).toEqual([]);
    expect([...asked(whole)]).toEqual(expect.arrayContaining(rights.map(wordsOf)));
    for (const right of rights) {
      const { told } = await record(
        grantsOf(
          CLUSTER_RIGHTS.filter(({ verb, resource }) => verb !== right.verb || resource !== right.resource),
        ),
      );
      const [type = ''] = right.resource.split('.');
      expect(told, wordsOf(right)).toContain(`cannot ${right.verb} resource "${type}"`);
    }
  });
});
