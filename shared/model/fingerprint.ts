import { createHash } from 'node:crypto';
import { sortKeys } from './equality.ts';

/** A short hash of a JSON value; equal values have equal ones whatever the order of their keys. */
export function fingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(value)))
    .digest('hex')
    .slice(0, 24);
}
