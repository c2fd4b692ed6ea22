/** A regular expression as a tree. `of` a repeat is what repeats; an empty sequence matches the empty text. */
export type Expression =
  | { readonly kind: 'character'; readonly test: RegExp }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly of: Expression; readonly least: number; readonly most: number };

export const PATTERN_SYNTAX =
  'a regular expression of at most 256 characters, made of characters, . [a-z] \\d \\w \\s ( | ) * + ? {1,3} and, in front, (?i)';

const MOST_CHARACTERS = 256;
const MOST_DEPTH = 50;

/** What matches exactly one character. What a class means is left to JavaScript, which cannot go astray in it. */
const CHARACTER = /\\[dDwWsS]|\\[^\p{L}\p{N}]|\[\^?(?:\\.|[^\]\\[])+\]|[^\\()[\]{}|*+?^$]/uy;
const REPEAT = /([*+?])|\{(\d{1,3})(,?)(\d{1,3})?\}/y;
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
};

/** The syntax that Go and JavaScript share, without what looks around or back. Never throws. */
export function parsePattern(
  text: string,
): { readonly expression: Expression } | { readonly allowed: string } {
  const ignoreCase = text.startsWith('(?i)');
  // The whole text must match anyway.
  const body = text.slice(ignoreCase ? 4 : 0).replace(/^\^|(?<!\\)\$$/g, '');
  const at = { text: body, index: 0, ignoreCase, depth: 0 };
  const expression = text.length > MOST_CHARACTERS ? undefined : readChoice(at);
  if (!expression || at.index < body.length) return { allowed: PATTERN_SYNTAX };
  return { expression };
}

interface Cursor {
  readonly text: string;
  readonly ignoreCase: boolean;
  index: number;
  depth: number;
}

function readChoice(at: Cursor): Expression | undefined {
  const branches: Expression[] = [];
  do {
    if (branches.length > 0) at.index += 1;
    const branch = readSequence(at);
    if (!branch) return undefined;
    branches.push(branch);
  } while (at.text[at.index] === '|');
  return { kind: 'choice', of: branches };
}

function readSequence(at: Cursor): Expression | undefined {
  const parts: Expression[] = [];
  while (at.index < at.text.length && !'|)'.includes(at.text.charAt(at.index))) {
    const part = readRepeated(at);
    if (!part) return undefined;
    parts.push(part);
  }
  return { kind: 'sequence', of: parts };
}

function readRepeated(at: Cursor): Expression | undefined {
  const of = at.text[at.index] === '(' ? readGroup(at) : readCharacter(at);
  const repeat = of && take(REPEAT, at);
  if (!repeat) return of;
  const [, sign, from = '', comma, to] = repeat;
  const least = Number(from);
  const [low, high] = COUNTS[sign ?? ''] ?? [least, comma ? Number(to ?? Infinity) : least];
  // Greedy or not decides which match is found, not whether there is one.
  if (at.text[at.index] === '?') at.index += 1;
  return low > high ? undefined : { kind: 'repeat', of, least: low, most: high };
}

function readGroup(at: Cursor): Expression | undefined {
  at.index += at.text.startsWith('(?:', at.index) ? 3 : 1;
  at.depth += 1;
  const inner = at.depth > MOST_DEPTH ? undefined : readChoice(at);
  at.depth -= 1;
  if (!inner || at.text[at.index] !== ')') return undefined;
  at.index += 1;
  return inner;
}

function readCharacter(at: Cursor): Expression | undefined {
  const found = take(CHARACTER, at)?.[0];
  if (found === undefined) return undefined;
  const escaped = /^\\([^dDwWsS])$/u.exec(found)?.[1];
  const source = escaped === undefined ? found : `\\u{${escaped.codePointAt(0)?.toString(16) ?? ''}}`;
  try {
    return { kind: 'character', test: new RegExp(`^${source}$`, at.ignoreCase ? 'isu' : 'su') };
  } catch {
    return undefined;
  }
}

function take(pattern: RegExp, at: Cursor): RegExpExecArray | null {
  pattern.lastIndex = at.index;
  const found = pattern.exec(at.text);
  if (found) at.index += found[0].length;
  return found;
}
