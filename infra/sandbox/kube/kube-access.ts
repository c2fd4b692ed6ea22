import { qualified, type ResourceType } from './kube-objects.ts';
import { statusRefusal } from './kube-refusal.ts';

export interface KubeUser {
  readonly username: string;
  readonly groups: readonly string[];
  /** Else levelset's own. */
  readonly grants?: readonly Grant[];
}

export const adminUser: KubeUser = {
  username: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** The node controller of kube-controller-manager. It may do everything here. */
export const nodeControllerUser: KubeUser = {
  username: 'system:serviceaccount:kube-system:node-controller',
  groups: ['system:masters', 'system:authenticated'],
};

export const levelsetUser: KubeUser = {
  username: 'system:serviceaccount:levelset:levelset',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:levelset', 'system:authenticated'],
};

export interface Attempt {
  readonly verb: string;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** A request with its author and what its body is read by. */
export interface KubeCall extends Attempt {
  readonly user: KubeUser;
  readonly uri: string;
  readonly userAgent: string;
  readonly contentType: string;
  readonly accept: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Grant {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly namespace?: string;
  readonly name?: string;
}

/** What the ServiceAccount may do: no more than the manifests grant, so that a call beyond them fails in a test. */
export const levelsetGrants: readonly Grant[] = [
  { resources: ['services'], verbs: ['get', 'list', 'watch'] },
  { resources: ['nodes'], verbs: ['get', 'list', 'patch', 'delete', 'watch'] },
  { resources: ['nodes/status'], verbs: ['patch'] },
  { resources: ['pods'], verbs: ['list'] },
  { resources: ['endpointslices.discovery.k8s.io'], verbs: ['list', 'watch'] },
  { resources: ['namespaces'], verbs: ['get'] },
  { resources: ['services/status'], verbs: ['patch'] },
  { resources: ['events'], verbs: ['create', 'get', 'patch'] },
  // one namespace has opted in (infra/kubernetes/tls-secrets.example.yaml)
  { resources: ['secrets'], verbs: ['get'], namespace: 'default' },
  // the registry of clusters (rbac-clusters.yaml)
  { resources: ['secrets'], verbs: ['list', 'watch'], namespace: 'levelset' },
  // the manifests' namespace of the state, and one that an operator gave the same rights for --state-namespace
  ...['levelset', 'levelset-state'].flatMap((namespace) => [
    {
      resources: ['leases.coordination.k8s.io'],
      verbs: ['get', 'create', 'update'],
      namespace,
    },
    { resources: ['pods'], verbs: ['list', 'patch'], namespace },
    { resources: ['configmaps'], verbs: ['get', 'list', 'create', 'patch'], namespace },
  ]),
];

/** Refuses with 403 and the RBAC authorizer's own words. */
export function authorize(user: KubeUser, attempt: Attempt): void {
  if (user.groups.includes('system:masters')) return;
  const { verb, type, namespace, name, subresource } = attempt;
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  const allowed = (user.grants ?? levelsetGrants).some(
    (grant) =>
      grant.resources.includes(qualified(type) + suffix) &&
      grant.verbs.includes(verb) &&
      (grant.namespace === undefined || grant.namespace === namespace) &&
      (grant.name === undefined || grant.name === name),
  );
  if (allowed) return;
  const what = `${qualified(type)}${name === undefined ? '' : ` "${name}"`} is forbidden`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const asked = `cannot ${verb} resource "${type.plural}${suffix}" in API group "${type.group}" ${where}`;
  const details = { ...(name === undefined ? {} : { name }), kind: type.plural };
  throw statusRefusal(403, 'Forbidden', `${what}: User "${user.username}" ${asked}`, details);
}
