import { tokensIn } from '../config/tokens.ts';
import { ReconcileError } from '../model/errors.ts';
import type { EntryTokens, TextName, Texts } from './entry.ts';

const TOKENS = {
  auditTokens: 'audit-tokens',
  resyncTokens: 'resync-tokens',
  pageTokens: 'page-tokens',
} as const satisfies Record<keyof EntryTokens, TextName>;

/** The tokens of an entry. One list that cannot be used is what it was before, and adds to `problems`. */
export function readEntryTokens(
  texts: Texts,
  before: EntryTokens | undefined,
  problems: string[],
): EntryTokens {
  const read = (which: keyof EntryTokens): readonly string[] => {
    const text = TOKENS[which];
    try {
      return tokensIn(text, texts[text] ?? '');
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
      problems.push(error.message);
      return before?.[which] ?? [];
    }
  };
  return {
    auditTokens: read('auditTokens'),
    resyncTokens: read('resyncTokens'),
    pageTokens: read('pageTokens'),
  };
}
