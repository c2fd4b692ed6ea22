import { fingerprint } from '../model/json.ts';

/** The length of an approval: short enough to copy, and long enough that no two changes share one. */
const LENGTH = 12;

/**
 * The approval of a change, which a person copies into the annotation `approve`: a short hash of all that the
 * change is about.
 */
export function approvalOf(what: readonly unknown[]): string {
  return fingerprint(what).slice(0, LENGTH);
}
