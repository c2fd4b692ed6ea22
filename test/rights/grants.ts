/** Rows of the table of rights as the sandbox's apiserver takes them, and in words, as calls have them too. */
import type { RecordedRequest } from '../../infra/sandbox/front.ts';
import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import type { ClusterRight } from '../../infra/kubernetes/rights.ts';

/** levelset's own. */
export const NAMESPACE = 'levelset';
const SHARDS = 8;

export function grantsOf(rights: readonly ClusterRight[]): readonly Grant[] {
  return rights.flatMap(({ verb, resource, name, namespace }) => {
    const grant: Grant = { resources: [resource], verbs: [verb], ...(namespace && { namespace }) };
    return name === undefined ? [grant] : namesOf(name).map((one) => ({ ...grant, name: one }));
  });
}

export function namesOf(name: string): readonly string[] {
  if (!name.endsWith('-N')) return [name];
  return Array.from({ length: SHARDS }, (_, at) => name.replace(/N$/, String(at)));
}

export function wordsOf({ verb, resource, name, namespace }: ClusterRight): string {
  const [type = '', sub] = resource.split('/');
  const [plural = '', ...group] = type.split('.');
  const what = [...(group.length > 0 ? [group.join('.')] : []), plural, ...(sub === undefined ? [] : [sub])];
  const which = plural === 'configmaps' && name !== undefined ? ` ${name}` : '';
  return `${verb} ${what.join('/')}${which}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const OBJECT =
  /^\/(?:api|apis\/([^/]+))\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/?]+))?(?:\/([a-z]+))?(?:\?|$)/;

/** The right that a call needs, in the words of `wordsOf`. */
export function rightFor({ method, path }: Pick<RecordedRequest, 'method' | 'path'>): string {
  if (/^\/api\/v1\/namespaces\/[^/]+$/.test(path)) return 'get namespaces';
  const [, group, namespace, resource = '', name, subresource] = OBJECT.exec(path) ?? [];
  const read = name === undefined ? (path.includes('watch=true') ? 'watch' : 'list') : 'get';
  const verb = VERBS[method] ?? read;
  const narrow =
    namespace === NAMESPACE ? ['leases', 'configmaps', 'secrets', 'pods'] : ['secrets', 'leases'];
  const what = [group, resource, subresource].filter((part) => part !== undefined).join('/');
  // those of the state are many of one kind
  const kind = name?.replace(/^levelset-state-\d$/, 'levelset-state-N');
  const which = resource === 'configmaps' && kind !== undefined ? ` ${kind}` : '';
  return `${verb} ${what}${which}${narrow.includes(resource) ? ` in ${namespace ?? ''}` : ''}`;
}
