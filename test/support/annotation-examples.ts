/** The example of every annotation, for the simulators and for the lab: one that neither can show says why. */
import { ANNOTATIONS, targetOf, type AnnotationRow } from '../../shared/service/intent/annotations.ts';
import { attributeRule, equalAttribute } from '../../shared/model/attributes.ts';
import type { ResourceKind } from '../../shared/model/resources.ts';
import { BY_NEED, ENTRIES, first, type Entry, type Shown } from './annotation-entries.ts';

/** One spelling of one row. */
export interface Example {
  readonly name: string;
  readonly row: AnnotationRow;
  readonly entry: Entry;
}

export const EXAMPLES: readonly Example[] = ANNOTATIONS.flatMap((row) =>
  row.names.map((name) => ({ name, row, entry: ENTRIES[`${row.on}.${row.sets}`] ?? entryOf(row) })),
);

function entryOf(row: AnnotationRow): Entry {
  const need = row.needs.at(-1);
  return (need && BY_NEED[need]) ?? {};
}

/** The attribute that a row is about, and how it may change; undefined for what is more than one. */
export function attributeOf(row: AnnotationRow): { kind: ResourceKind; attribute: string } | undefined {
  const target = targetOf(row);
  return target && { kind: target[0], attribute: target[1] };
}

/** Whether it only counts when the load balancer is made. */
export function isOnlyAtCreate(row: AnnotationRow): boolean {
  const target = attributeOf(row);
  if (!target) return row.sets === 'loadBalancerClass' || row.sets === 'internal';
  const { change } = attributeRule(target.kind, target.attribute);
  return change === 'refuse' || change === 'at-create' || target.kind === 'floatingip';
}

/** Whether a cloud shows what the example, with the ids of this cloud in it, asks for. */
export function isShown({ row, entry }: Example, text: string, shown: Shown): boolean {
  if (entry.shows) return entry.shows(shown);
  const target = attributeOf(row);
  const parsed = row.parse(text);
  if (!target || !('value' in parsed)) throw new TypeError(`${row.names[0] ?? ''} needs an entry`);
  const rule = attributeRule(target.kind, target.attribute);
  return equalAttribute(rule, parsed.value, first(shown, target.kind)[target.attribute]);
}

/** An example with the ids of a cloud in place of the words in capitals. */
export function withIds(text: string, ids: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[A-Z]+(_[A-Z]+)*_ID/g, (word) => ids[word] ?? word);
}
