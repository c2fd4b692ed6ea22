import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { FLAGS } from '../../shared/config/flags.ts';
import { grantedBy, rightFor, type RoleManifest } from './kubernetes-rights.ts';
import { textOf } from './files.ts';
import { recordLifecycle } from './recorded-lifecycle.ts';
import { recordNodes } from './recorded-nodes.ts';
import { recordReviews } from './recorded-reviews.ts';
import { recordRoutes } from './recorded-routes.ts';
import { recordWatch } from './recorded-watch.ts';

/** Applied by a namespace that opts in. */
const SECRETS = ['tls-secrets.example', 'tls-secrets-watch.example'];
const NAMESPACE = FLAGS['state-namespace'].default;

let requests: readonly RecordedRequest[];
beforeAll(async () => {
  const lives = [recordLifecycle, recordNodes, recordRoutes, recordWatch, recordReviews];
  requests = (await Promise.all(lives.map((record) => record()))).flat();
});

function granted(...files: readonly string[]): readonly string[] {
  const manifests = files.flatMap((name) =>
    parseAllDocuments(textOf(`infra/kubernetes/${name}.yaml`)).map((one) => one.toJS() as RoleManifest),
  );
  return grantedBy(manifests, NAMESPACE);
}

const asked = (call: RecordedRequest): string => rightFor(call, NAMESPACE);

describe('a life with everything in it', () => {
  test('makes exactly the Kubernetes calls that the manifests allow', () => {
    const made = requests.filter(({ side }) => side === 'kube').map(asked);
    const all = granted('rbac', 'rbac-nodes', 'rbac-pods', 'rbac-watch', 'rbac-reviews', ...SECRETS);
    expect([...new Set(made)].sort()).toEqual([...new Set(all)].sort());
  });

  test('the watches make exactly the calls that the relay is allowed', async () => {
    const made = (await recordWatch()).filter(({ side }) => side === 'kube').map(asked);
    const allowed = granted('relay/rbac', 'tls-secrets-watch.example');
    expect([...new Set(made)].sort()).toEqual(allowed.toSorted());
  });
});
