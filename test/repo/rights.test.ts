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

  test('makes exactly the OpenStack calls that the access rules allow', () => {
    const rules = JSON.parse(textOf('infra/openstack/access-rules.json')) as readonly Rule[];
    const made = new Set(
      requests
        .filter(({ side, path }) => side === 'openstack' && !BEFORE_RULES.test(path))
        .map(({ method, path }) => `${method} ${withoutIds(path)}`),
    );
    const allowed = rules.map(({ service, method, path }) => `${method} /${service}${path}`);
    expect(allowed.filter((rule) => !BY_OCTAVIA.includes(rule)).sort()).toEqual([...made].sort());
  });
});

interface Rule {
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

/** No token is asked for: Keystone gives it, and Octavia's root lists its versions to anybody. */
const BEFORE_RULES = /^\/(identity\/v3\/auth\/tokens|load-balancer\/)$/;

/** Octavia looks these up in the caller's name when it is given a subnet. */
const BY_OCTAVIA = ['GET /network/v2.0/networks/*'];

/** Ids become `*`; the quota has two depths (the project's own, and the default). */
function withoutIds(path: string): string {
  const [bare = ''] = path.split('?');
  return bare
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '*')
    .replace(/(quotas)\/.*$/, '$1/**');
}
