/** Calls to a kube-apiserver and rules of RBAC in the same words, to be compared. */

export interface RoleManifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

export interface KubernetesCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** A ConfigMap by its name; those of the state are many of one kind. */
const nameOf = (name: string | undefined): string =>
  name === undefined ? '' : ` ${name.replace(/^levelset-state-\d$/, 'levelset-state-N')}`;

/** `verb group/resource`, the name of a ConfigMap, and for a Role where: in its own namespace, else in this one. */
export function grantedBy(manifests: readonly RoleManifest[], ownNamespace: string): readonly string[] {
  return manifests.flatMap(({ kind, metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
      verbs.flatMap((verb) =>
        resources.flatMap((resource) => {
          const where = kind === 'Role' ? ` in ${metadata.namespace ?? ownNamespace}` : '';
          const what = [...apiGroups.filter((group) => group !== ''), resource].join('/');
          const names = resource === 'configmaps' && resourceNames.length > 0 ? resourceNames : [undefined];
          return names.map((name) => `${verb} ${what}${nameOf(name)}${where}`);
        }),
      ),
    ),
  );
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const OBJECT =
  /^\/(?:api|apis\/([^/]+))\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/?]+))?(?:\/([a-z]+))?(?:\?|$)/;

/** The right that a call needs, in the words of `grantedBy`. */
export function rightFor({ method, path }: KubernetesCall, ownNamespace: string): string {
  if (/^\/api\/v1\/namespaces\/[^/]+$/.test(path)) return 'get namespaces';
  const [, group, namespace, resource = '', name, subresource] = OBJECT.exec(path) ?? [];
  const read = name === undefined ? (path.includes('watch=true') ? 'watch' : 'list') : 'get';
  const verb = VERBS[method] ?? read;
  const narrow =
    namespace === ownNamespace ? ['leases', 'configmaps', 'secrets', 'pods'] : ['secrets', 'leases'];
  const what = [group, resource, subresource].filter((part) => part !== undefined).join('/');
  const which = resource === 'configmaps' ? nameOf(name) : '';
  return `${verb} ${what}${which}${narrow.includes(resource) ? ` in ${namespace ?? ''}` : ''}`;
}
