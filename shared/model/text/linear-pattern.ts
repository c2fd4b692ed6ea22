/**
 * Regular expressions from annotations, in at most (pattern times text) steps: JavaScript's engine backtracks for
 * hours. It knows the part of Go's syntax that names of subnets need, and matches what Go does (decision 31).
 */

interface Pattern {
  readonly matches: (text: string) => boolean;
}

export const PATTERN_SYNTAX =
  'a regular expression of at most 256 characters, made of characters, . [a-z] \\d \\w \\s ( | ) * + ? {1,3}, of groups ? alone, and, in front, (?i)';

const MOST_CHARACTERS = 256;
/** Of all alternatives together: `(a|b)` ten times would have ten thousand. */
const MOST_PARTS = 300;

/** The pattern in a text; for a wrong text, what is allowed, in words. Never throws. */
export function linearPattern(text: string): Pattern | { readonly allowed: string } {
  const alternatives = parsePattern(text);
  if (!alternatives) return { allowed: PATTERN_SYNTAX };
  if (isTooLarge(alternatives)) return { allowed: 'a regular expression with smaller {counts} and fewer |' };
  return { matches: (name) => alternatives.some((parts) => isMatch(parts, Array.from(name))) };
}

/** One character, and whether it may be left out, or come again. */
interface Part {
  readonly test: RegExp;
  readonly isOptional?: boolean;
  readonly repeats?: boolean;
}

type Alternatives = readonly (readonly Part[])[];

const isTooLarge = (alternatives: Alternatives): boolean =>
  alternatives.reduce((sum, { length }) => sum + 1 + length, 0) > MOST_PARTS;

const CHARACTER = /\\[dDwWsS]|\\[^\p{L}\p{N}]|\[\^?(?:\\.|[^\]\\[])+\]|[^\\()[\]{}|*+?^$]/uy;
const REPEAT = /([*+?])|\{(\d{1,3})(,?)(\d{1,3})?\}/y;
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
};

function parsePattern(text: string): Alternatives | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const ignoreCase = text.startsWith('(?i)');
  // the whole text must match anyway
  const body = text.slice(ignoreCase ? 4 : 0).replace(/^\^|(?<!\\)\$$/g, '');
  const at = { text: body, index: 0, ignoreCase };
  const alternatives = readChoice(at);
  return at.index < body.length ? undefined : alternatives;
}

interface Cursor {
  readonly text: string;
  readonly ignoreCase: boolean;
  index: number;
}

function readChoice(at: Cursor): Alternatives | undefined {
  const all: (readonly Part[])[] = [];
  do {
    if (all.length > 0) at.index += 1;
    const branch = readSequence(at);
    if (!branch) return undefined;
    all.push(...branch);
  } while (at.text[at.index] === '|');
  return all;
}

function readSequence(at: Cursor): Alternatives | undefined {
  let all: Alternatives = [[]];
  while (at.index < at.text.length && !'|)'.includes(at.text.charAt(at.index))) {
    const next = at.text[at.index] === '(' ? readGroup(at) : readCharacters(at);
    if (!next) return undefined;
    // what is too large is refused, however it goes on
    if (isTooLarge(next)) all = next;
    else if (!isTooLarge(all)) all = all.flatMap((parts) => next.map((more) => [...parts, ...more]));
  }
  return all;
}

function readGroup(at: Cursor): Alternatives | undefined {
  at.index += at.text.startsWith('(?:', at.index) ? 3 : 1;
  const inner = readChoice(at);
  if (!inner || at.text[at.index] !== ')') return undefined;
  at.index += 1;
  const [repeat, sign] = take(REPEAT, at) ?? [];
  if (repeat === undefined) return inner;
  return sign === '?' ? [[], ...inner] : undefined;
}

function readCharacters(at: Cursor): Alternatives | undefined {
  const test = readCharacter(at);
  if (!test) return undefined;
  const [repeat, sign, from = '', comma, to] = take(REPEAT, at) ?? [];
  if (repeat === undefined) return [[{ test }]];
  const least = Number(from);
  const [low, high] = COUNTS[sign ?? ''] ?? [least, comma ? Number(to ?? Infinity) : least];
  // `?` behind a repeat decides which match is found, not whether there is one
  if (at.text[at.index] === '?') at.index += 1;
  if (low > high) return undefined;
  const more =
    high === Infinity
      ? [{ test, isOptional: true, repeats: true }]
      : Array<Part>(high - low).fill({ test, isOptional: true });
  return [[...Array<Part>(low).fill({ test }), ...more]];
}

/** Classes that JavaScript reads otherwise than Go (RE2's syntax, "Perl character classes"). */
const GO_CLASSES: ReadonlyMap<string, string> = new Map([
  ['\\s', '\\t\\n\\f\\r '],
  ['\\S', '\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}'],
]);

function readCharacter(at: Cursor): RegExp | undefined {
  const found = take(CHARACTER, at)?.[0];
  if (found === undefined) return undefined;
  try {
    return new RegExp(`^${sourceOf(found)}$`, at.ignoreCase ? 'iu' : 'u');
  } catch {
    return undefined;
  }
}

function sourceOf(character: string): string {
  if (character === '.') return '[^\\n]';
  if (character.startsWith('['))
    return character.replace(/\\./gu, (escaped) => GO_CLASSES.get(escaped) ?? escaped);
  const escaped = /^\\([^dDwWsS])$/u.exec(character)?.[1];
  if (escaped !== undefined) return `\\u{${escaped.codePointAt(0)?.toString(16) ?? ''}}`;
  const asClass = GO_CLASSES.get(character);
  return asClass === undefined ? character : `[${asClass}]`;
}

function take(pattern: RegExp, at: Cursor): RegExpExecArray | null {
  pattern.lastIndex = at.index;
  const found = pattern.exec(at.text);
  if (found) at.index += found[0].length;
  return found;
}

/** Whether the parts read the whole text. `reached` has, for each place between two characters, whether the parts so far end there. */
function isMatch(parts: readonly Part[], text: readonly string[]): boolean {
  let reached = [true, ...text.map(() => false)];
  for (const { test, isOptional = false, repeats = false } of parts) {
    const next: boolean[] = [];
    for (const [at, isThere] of reached.entries()) {
      const before = reached[at - 1] === true || (repeats && next[at - 1] === true);
      next.push((isOptional && isThere) || (before && test.test(text[at - 1] ?? '')));
    }
    reached = next;
  }
  return reached.at(-1) === true;
}
