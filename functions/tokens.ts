import type { Log } from '../shared/ports.ts';

export interface Tokens {
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  readonly pageTokens: readonly string[];
}

/** Bearer tokens out of the environment, several separated by commas for rotation. None lets nobody in, and is told. */
export function readTokens(env: NodeJS.ProcessEnv, log: Log): Tokens {
  const read = (name: string): readonly string[] =>
    (env[name] ?? '')
      .split(',')
      .map((token) => token.trim())
      .filter((token) => token !== '');
  const auditTokens = read('LEVELSET_AUDIT_TOKENS');
  const resyncTokens = read('LEVELSET_RESYNC_TOKENS');
  const closed = [
    ...(auditTokens.length === 0
      ? ['LEVELSET_AUDIT_TOKENS is empty: /audit and /events refuse everybody']
      : []),
    ...(resyncTokens.length === 0 ? ['LEVELSET_RESYNC_TOKENS is empty: /resync refuses everybody'] : []),
  ];
  if (closed.length > 0) log.warn(closed.join('; '));
  return { auditTokens, resyncTokens, pageTokens: read('LEVELSET_PAGE_TOKENS') };
}
