import { ReconcileError } from '../../model/errors.ts';
import { attempt, readIfPossible } from '../../observe/attempt.ts';
import type { Cloud, CloudReader } from '../../ports.ts';

/** The cloud, and what answers its lists: the cloud itself, or what a sweep has read of it in bulk. */
export interface ListSource extends CloudReader {
  readonly lists: Pick<Cloud, 'list'>;
}

/**
 * The answer to a read that the unit does not need; undefined if it fails. A run waits two seconds for it, and
 * after a failure no run of the process asks for a minute. The key names what is read.
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
