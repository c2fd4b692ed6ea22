import type { Attributes } from './resources.ts';

/**
 * How an attribute may change once the resource exists.
 * in-place: PUT. recreate: delete and create again. new-pool: with a whole new pool, filled beside the old one before the
 * listener turns to it (decision 11). refuse: it would take something away that people depend on (the VIP, an address), so
 * the plan says no and does the rest. at-create: only a starting value; later differences are no drift (names go stale and
 * are never compared, decision 4).
 */
export type ChangeRule = 'in-place' | 'recreate' | 'new-pool' | 'refuse' | 'at-create';

/**
 * How desired and observed are compared. value: as they are, absent as null. set: lists in any order. open-cidrs: a set
 * in which "everybody" and null are one (decision 3). tags: ours must be among them, all others stay. set-record: tags of
 * which only the record of what we set counts, since each write costs a lock (decision 7). sparse: an object
 * whose null keys the server filled in (decision 2), null being an empty one. reference, references: names of certificates
 * in Barbican, equal as they are or by the id in them (decision 3); a list in any order. vips: one in each of these
 * subnets, at the address that is asked for. entries: of an object those that are named, null for one that is to be absent.
 * conditions: of a list those types that are named, whatever their times. asked-text: a description, of which only what a Service asks for counts.
 */
export type CompareRule =
  | 'value'
  | 'set'
  | 'asked-text'
  | 'open-cidrs'
  | 'tags'
  | 'set-record'
  | 'sparse'
  | 'reference'
  | 'references'
  | 'vips'
  | 'entries'
  | 'conditions';

export interface AttributeRule {
  readonly change: ChangeRule;
  readonly compare?: CompareRule;
  /**
   * Set only when somebody asks for it, and then recorded in a tag of the resource, `levelset-set=`; when the asking
   * stops, this is written and leaves it to the server again (decision 2).
   */
  readonly unset?: null | false | 1 | 'NONE' | readonly [] | Attributes;
}
