import { REACH, type AllowedReference } from '../model/load-balancer/reach.ts';
import type { ReferenceKind } from '../model/attributes/attribute-row.ts';
import { itemsOf, NotAllowed, type Read } from './read-value.ts';

/** The kinds that `--allowed-references` may list. A kind of reach `own` never needs an entry. */
const KINDS = Object.entries(REACH).flatMap(([kind, reach]) => (reach === 'own' ? [] : [kind]));

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const allowedReferences: Read<readonly AllowedReference[]> = (value) => {
  const items = itemsOf(value);
  const read = items.map((item) => readReference(item));
  const wrong = items.filter((_, index) => read[index] === undefined);
  if (wrong.length === 0) return read.filter((reference) => reference !== undefined);
  return new NotAllowed(`NAMESPACE/KIND/ID, each of them or *, the kind one of ${KINDS.join(', ')}`, wrong);
};

function readReference(item: string): AllowedReference | undefined {
  const [namespace = '', kind = '', ...rest] = item.split('/');
  const id = rest.join('/');
  if ((namespace !== '*' && !NAMESPACE.test(namespace)) || !isKind(kind) || !isWhole(id)) return undefined;
  return { namespace, kind, id };
}

/** Whether an id is `*` or has no `*` in it. An id such as `ab*` would match nothing, and mislead. */
function isWhole(id: string): boolean {
  return id === '*' || (id !== '' && !id.includes('*'));
}

function isKind(kind: string): kind is ReferenceKind | '*' {
  return kind === '*' || KINDS.includes(kind);
}
