import { CLUSTER_RIGHTS, type ClusterRight } from '../../../infra/kubernetes/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { isError } from '../../../shared/model/errors.ts';
import { fieldsOf } from '../../../shared/model/json.ts';
import { inParallel } from '../../../shared/observe/in-parallel.ts';
import { noApiserver, tried, type Examined } from './examined.ts';
import { finding, type Finding } from './finding.ts';

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
  const answers = await inParallel(CLUSTER_RIGHTS, AT_ONCE, (right) => tried(mayDo(right, examined)));
  const failed = answers.find(isError);
  if (failed !== undefined) {
    const remedy = 'run levelset doctor again when the kube-apiserver answers:\nkubectl get --raw /readyz';
    const what = `cannot ask for the rights in Kubernetes: ${failed.message}`;
    return [finding('failure', 'rights', what, remedy)];
  }
  const missing = CLUSTER_RIGHTS.filter((_, at) => answers[at] === false);
  const hasNodes = looksAfterNodes(config) || looksAfterRoutes(config);
  const needed = ({ manifest }: ClusterRight): boolean =>
    manifest === 'rbac' || (manifest === 'rbac-nodes' && hasNodes);
  const notNeeded = missing.filter((right) => !needed(right));
  const lacking = (right: ClusterRight): Finding => {
    const what = `Kubernetes does not grant ${inWords(right, config.stateNamespace)}: levelset ${right.why}`;
    const remedy = `with the Helm chart upgrade the release; without it:\nkubectl apply -f infra/kubernetes/${right.manifest}.yaml`;
    return finding('failure', 'rights', what, remedy);
  };
  const granted = CLUSTER_RIGHTS.length - missing.length;
  return [
    finding('ok', 'rights', `Kubernetes grants ${granted} of ${CLUSTER_RIGHTS.length} rights`),
    ...missing.filter(needed).map(lacking),
    ...Object.entries(FOR_WHAT)
      .filter(([name]) => notNeeded.some(({ manifest }) => manifest === name))
      .map(([name, what]) => `infra/kubernetes/${name}.yaml are not granted; only these need them: ${what}`)
      .map((what) => finding('note', 'rights', `the rights of ${what}`)),
  ];
}

async function mayDo(right: ClusterRight, { connected }: Examined): Promise<boolean> {
  const [type = '', subresource] = right.resource.split('/');
  const [resource, ...group] = type.split('.');
  const namespace = right.namespace === 'levelset' ? connected.world.config.stateNamespace : right.namespace;
  const name = right.name?.replace(/-N$/, '-0');
  const resourceAttributes = {
    verb: right.verb,
    resource,
    subresource,
    group: group.join('.'),
    namespace,
    name,
  };
  const { body } = await connected.kubeHttp({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
    doing: 'ask the kube-apiserver what we may do',
  });
  const { allowed, denied } = fieldsOf(fieldsOf(body)['status']);
  if (typeof allowed !== 'boolean') throw noApiserver('status.allowed');
  return allowed && denied !== true;
}

function inWords({ verb, resource, name, namespace }: ClusterRight, stateNamespace: string): string {
  const where = namespace === 'levelset' ? stateNamespace : namespace;
  return `${verb} ${resource}${name === undefined ? '' : ` ${name}`}${where === undefined ? '' : ` in ${where}`}`;
}
