import { CLUSTER_RIGHTS, type ClusterRight } from '../../../infra/kubernetes/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { fieldsOf } from '../../../shared/model/json.ts';
import { inParallel } from '../../../shared/observe/in-parallel.ts';
import { noApiserver, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';

const AT_ONCE = 8;

/** What needs a manifest that not every deployment applies. */
const FOR_WHAT: Readonly<Record<string, string>> = {
  'rbac-pods': 'Services with allocateLoadBalancerNodePorts: false',
  'rbac-watch': '--watch',
  'rbac-reviews': 'callers of /resync with a token of Kubernetes, and --events-audience',
  'rbac-clusters': '--clusters=secrets',
  'tls-secrets.example': 'namespaces whose Services have the annotation tls-secret',
  'tls-secrets-watch.example': '--watch in namespaces whose Services have the annotation tls-secret',
};

/** Every right in Kubernetes by a SelfSubjectAccessReview, which every account may create. */
export async function checkClusterRights(examined: Examined): Promise<readonly Finding[]> {
  const { config } = examined.connected.world;
  const asked = await inParallel(CLUSTER_RIGHTS, AT_ONCE, async (right) => ({
    right,
    allowed: await tried(() => mayDo(right, examined)),
  }));
  const failed = asked.flatMap(({ allowed }) => ('error' in allowed ? allowed.error.message : []));
  if (failed[0] !== undefined) {
    const remedy = 'run levelset doctor again when the kube-apiserver answers:\nkubectl get --raw /readyz';
    return [
      {
        area: 'rights',
        level: 'failure',
        what: `cannot ask for the rights in Kubernetes: ${failed[0]}`,
        remedy,
      },
    ];
  }
  const missing = asked.flatMap(({ right, allowed }) =>
    'value' in allowed && !allowed.value ? [right] : [],
  );
  const hasNodes = looksAfterNodes(config) || looksAfterRoutes(config);
  const needed = ({ manifest }: ClusterRight): boolean =>
    manifest === 'rbac' || (manifest === 'rbac-nodes' && hasNodes);
  return [
    {
      area: 'rights',
      level: 'ok',
      what: `Kubernetes grants ${asked.length - missing.length} of ${asked.length} rights`,
    },
    ...missing.filter(needed).map((right): Finding => ({
      area: 'rights',
      level: 'failure',
      what: `Kubernetes does not grant ${wordsOf(right, config.stateNamespace)}: levelset ${right.why}`,
      remedy: `with the Helm chart upgrade the release; without it:\nkubectl apply -f infra/kubernetes/${right.manifest}.yaml`,
    })),
    ...notes(missing.filter((right) => !needed(right))),
  ];
}

function notes(missing: readonly ClusterRight[]): readonly Finding[] {
  const manifests = Object.keys(FOR_WHAT).filter((name) => missing.some(({ manifest }) => manifest === name));
  return manifests.map((name) => ({
    area: 'rights',
    level: 'note',
    what: `the rights of infra/kubernetes/${name}.yaml are not granted; only these need them: ${FOR_WHAT[name] ?? ''}`,
  }));
}

async function mayDo(right: ClusterRight, { connected }: Examined): Promise<boolean> {
  const [type = '', subresource] = right.resource.split('/');
  const [resource, ...group] = type.split('.');
  const namespace = right.namespace === 'levelset' ? connected.world.config.stateNamespace : right.namespace;
  const resourceAttributes = {
    ...{ verb: right.verb, resource, group: group.join('.') },
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(right.name !== undefined && { name: right.name.replace(/-N$/, '-0') }),
  };
  const answer = await connected.kubeHttp({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
    doing: 'ask the kube-apiserver what we may do',
  });
  const { allowed, denied } = fieldsOf(fieldsOf(answer.body)['status']);
  if (typeof allowed !== 'boolean') throw noApiserver('status.allowed');
  return allowed && denied !== true;
}

function wordsOf({ verb, resource, name, namespace }: ClusterRight, stateNamespace: string): string {
  const where = namespace === 'levelset' ? stateNamespace : namespace;
  return `${verb} ${resource}${name === undefined ? '' : ` ${name}`}${where === undefined ? '' : ` in ${where}`}`;
}
