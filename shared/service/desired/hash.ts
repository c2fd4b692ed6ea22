import { fingerprint } from '../../model/json.ts';
import type { Desired } from './desire-service.ts';

/**
 * Of what is desired, what was approved, the name by which it is shared, and what people are told that may change although
 * the Service does not.
 */
export function hashOf(
  { resources, problems }: Pick<Desired, 'resources' | 'problems'>,
  approved: readonly string[],
  sharedName?: string,
): string {
  const shown = problems.flatMap(({ passing, field, value, message }) =>
    passing ? [[field, value, message]] : [],
  );
  const parts = [
    ...(approved.length > 0 ? [approved] : []),
    ...(shown.length > 0 ? [shown] : []),
    ...(sharedName === undefined ? [] : [[sharedName]]),
  ];
  return fingerprint(parts.length > 0 ? [resources, ...parts] : resources);
}
