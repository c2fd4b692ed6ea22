import type { Flags } from '../config/read-flags.ts';
import { tokensBy, tokensIn, type Tokens } from '../config/tokens.ts';
import { ReconcileError } from '../model/errors.ts';

/** The texts of an entry, by the names that they have in every source. */
export const TEXTS = [
  'kubeconfig',
  'cloud.conf',
  'flags',
  'uid',
  'ca-file',
  'cert-file',
  'key-file',
  'audit-tokens',
  'resync-tokens',
  'page-tokens',
] as const;

export type TextName = (typeof TEXTS)[number];

/** The texts that a function which only receives events may read: it holds no credentials. */
export const OF_RECEIVING = ['audit-tokens', 'flags'] as const satisfies readonly TextName[];

/** What an entry has. A text that is not there is absent, never undefined. All of it is secret. */
export type Texts = Readonly<Partial<Record<TextName, string>>>;

/** What a cluster is connected with: as long as its texts are the same, the same object. */
export interface Settings {
  readonly flags: Flags;
  /** Texts of the entry and the proxies of the deployment, and nothing else. */
  readonly env: NodeJS.ProcessEnv;
  /** The UID that the cluster has to have; absent: the entry names none. */
  readonly uid?: string;
  /** What is to be said about them, for the log; no content of a text. */
  readonly warnings: readonly string[];
}

/** A cluster that can be served. As long as all that counts of its texts is the same, the same object. */
export interface Entry {
  /** A label of DNS. An address, never an identity: that is the UID of kube-system. */
  readonly name: string;
  readonly settings: Settings;
  readonly tokens: Tokens;
}

/** What reading an entry has led to. */
export interface EntryReading {
  /** What counts: the texts as they are, or those that could be used last. Absent: the cluster cannot be served. */
  readonly entry?: Entry;
  /** What is wrong with the texts as they are, each with entry, text and, if there is one, line; no content of a text. */
  readonly problems: readonly string[];
}

/** Where the texts of entries are kept. What it throws says that it cannot be read, and nothing of what is there. */
export interface EntrySource {
  /** The names of all entries, in any order. */
  names(): Promise<readonly string[]>;
  /** The texts of one entry, all of one time. Undefined: there is no such entry. */
  read(name: string): Promise<Texts | undefined>;
  /** Ends what it follows its texts with. */
  stop?(): Promise<void>;
}

const TOKENS = {
  auditTokens: 'audit-tokens',
  resyncTokens: 'resync-tokens',
  pageTokens: 'page-tokens',
} as const satisfies Record<keyof Tokens, TextName>;

/** The tokens of an entry. One list that cannot be used is what it was before, and adds to `problems`. */
export function readEntryTokens(texts: Texts, before: Tokens | undefined, problems: string[]): Tokens {
  return tokensBy((kind) => {
    try {
      return tokensIn(TOKENS[kind], texts[TOKENS[kind]] ?? '');
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
      problems.push(error.message);
      return before?.[kind] ?? [];
    }
  });
}
