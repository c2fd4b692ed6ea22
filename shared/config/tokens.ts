import { ReconcileError } from '../model/errors.ts';

/** Bearer tokens, several for rotation. Without one an endpoint refuses everybody. */
export interface Tokens {
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  readonly pageTokens: readonly string[];
}

/** One list for each kind of endpoint. */
export function tokensBy(listOf: (kind: keyof Tokens) => readonly string[]): Tokens {
  return {
    auditTokens: listOf('auditTokens'),
    resyncTokens: listOf('resyncTokens'),
    pageTokens: listOf('pageTokens'),
  };
}

/** Tokens with commas or white space between. Throws CONFIG_INVALID for one that can be guessed, and never names it. */
export function tokensIn(place: string, text: string): readonly string[] {
  const tokens = text.split(/[\s,]+/).filter((token) => token !== '');
  for (const token of tokens) {
    const wrong = whyGuessed(token);
    if (wrong !== undefined)
      throw new ReconcileError(
        'CONFIG_INVALID',
        `${place}: a token ${wrong}; make one by openssl rand -hex 32`,
      );
  }
  return tokens;
}

const SHORTEST_TOKEN = 20;

function whyGuessed(token: string): string | undefined {
  if (/change[-_ ]?me/i.test(token)) return 'is the placeholder of an example';
  return token.length < SHORTEST_TOKEN ? `has fewer than ${SHORTEST_TOKEN} characters` : undefined;
}
