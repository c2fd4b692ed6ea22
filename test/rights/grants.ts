/** Rows of the table of rights as the sandbox's apiserver takes them, and in the words of `rightFor`. */
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
