/** Why events are refused. Each is mended in another place. */
export type RefusalReason = 'token' | 'path' | 'body' | 'aborted' | 'queue';

/** The status of a request whose sender hung up, or was too slow: the log has it, and nobody gets it (as in nginx). */
export const HUNG_UP = 499;

export function reasonOfRefusal(status: number): RefusalReason {
  if (status === 401) return 'token';
  if (status === 404 || status === 405) return 'path';
  if (status === HUNG_UP) return 'aborted';
  return status >= 500 ? 'queue' : 'body';
}
