/** The example of every annotation, for the simulators and for the lab: one that neither can show says why. */
import { ANNOTATIONS, targetOf, type AnnotationRow } from '../../shared/service/intent/annotations.ts';
import { attributeRule, equalAttribute } from '../../shared/model/attributes.ts';
import { BY_NEED, ENTRIES, first, type Entry, type Shown } from './annotation-entries.ts';

/** One spelling of one row. */
export type Example = (typeof EXAMPLES)[number];

export const EXAMPLES = ANNOTATIONS.flatMap((row) =>
  row.names.map((name) => ({ name, row, entry: ENTRIES[`${row.on}.${row.sets}`] ?? entryOf(row) })),
);

function entryOf(row: AnnotationRow): Entry {
  const need = row.needs.at(-1);
  return (need && BY_NEED[need]) ?? {};
}

/** Whether it only counts when the load balancer is made. */
export function isOnlyAtCreate(row: AnnotationRow): boolean {
  const target = targetOf(row);
  if (!target) return row.sets === 'loadBalancerClass' || row.sets === 'internal';
  const { change } = attributeRule(...target);
  return change === 'refuse' || change === 'at-create' || target[0] === 'floatingip';
}

/** Whether a cloud shows what the example, with the ids of this cloud in it, asks for. */
export function isShown({ row, entry }: Example, text: string, shown: Shown): boolean {
  if (entry.shows) return entry.shows(shown);
  const target = targetOf(row);
  const parsed = row.parse(text);
  if (!target || !('value' in parsed)) throw new TypeError(`${row.names[0] ?? ''} needs an entry`);
  const [kind, attribute] = target;
  return equalAttribute(attributeRule(kind, attribute), parsed.value, first(shown, kind)[attribute]);
}

/** An example with the ids of a cloud in place of the words in capitals. */
export function withIds(text: string, ids: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[A-Z]+(_[A-Z]+)*_ID/g, (word) => ids[word] ?? word);
}
