import { randomBytes } from 'node:crypto';
import type { Tokens } from '../http/admit.ts';

/** With it no list of tokens is empty, so that no answer tells which clusters there are. Nobody has it. */
const NOBODYS = randomBytes(32).toString('hex');

/** What opens the endpoints of a cluster: the tokens of its entry, if there is one, and those of the deployment. */
export function openTokens(entry: Tokens | undefined, deployment: Tokens): Tokens {
  const both = (which: keyof Tokens): readonly string[] => [
    ...(entry?.[which] ?? []),
    ...deployment[which],
    NOBODYS,
  ];
  return {
    auditTokens: both('auditTokens'),
    resyncTokens: both('resyncTokens'),
    pageTokens: both('pageTokens'),
  };
}
