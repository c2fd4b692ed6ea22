import { ReconcileError } from '../../model/errors.ts';
import { attempt, readIfPossible } from '../../observe/attempt.ts';
import type { Cloud, CloudReader } from '../../ports.ts';

/** The cloud, and what answers list calls: the cloud itself, or the lists of a sweep. */
export interface ListSource extends CloudReader {
  readonly lists: Pick<Cloud, 'list'>;
}

/**
 * The answer to a read that the unit can do without; undefined if it fails. A run waits two seconds for the answer, and
 * after a failure no run of the process asks again for a minute. A sweep's read has no such limits. The key names what
 * is read.
 */
export async function lookIfPossible<T>(
  source: ListSource,
  key: string,
  look: () => Promise<T>,
): Promise<T | undefined> {
  if (source.lists === source.cloud) return readIfPossible(source, key, look);
  const found = await attempt(look());
  return found instanceof ReconcileError ? undefined : found;
}
