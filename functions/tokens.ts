export interface Tokens {
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  readonly pageTokens: readonly string[];
}

/** Bearer tokens out of the environment, several separated by commas for rotation. None lets nobody in. */
export function readTokens(env: NodeJS.ProcessEnv): Tokens {
  const read = (name: string): readonly string[] =>
    (env[name] ?? '')
      .split(',')
      .map((token) => token.trim())
      .filter((token) => token !== '');
  return {
    auditTokens: read('LEVELSET_AUDIT_TOKENS'),
    resyncTokens: read('LEVELSET_RESYNC_TOKENS'),
    pageTokens: read('LEVELSET_PAGE_TOKENS'),
  };
}
