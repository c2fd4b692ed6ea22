/**
 * Regular expressions from annotations, in at most (pattern times text) steps: JavaScript's engine backtracks for
 * hours. It knows the part of Go's syntax that names of subnets need, and matches what Go does (decision 31).
 */

interface Pattern {
  readonly matches: (text: string) => boolean;
}

export const PATTERN_SYNTAX =
  'a regular expression of at most 256 characters, made of characters, . [a-z] \\d \\w \\s ( | ) * + ? {1,3} and, in front, (?i)';

/** Limits of one pattern: its characters, its nested groups, and the states of its automaton. */
const MOST_CHARACTERS = 256;
const MOST_DEPTH = 50;
/** The most states of an automaton. Without this limit `((a{99}){99}){99}` would have a million. */
const MOST_STATES = 300;

/** The pattern in a text; for a wrong text, what is allowed, in words. Never throws. */
export function linearPattern(text: string): Pattern | { readonly allowed: string } {
  const expression = parsePattern(text);
  if (!expression) return { allowed: PATTERN_SYNTAX };
  if (sizeOf(expression) > MOST_STATES) return { allowed: 'a regular expression with smaller {counts}' };
  const end: State = { next: [] };
  const start = compile(expression, end);
  return { matches: (name) => run(start, end, name) };
}

/** An empty sequence matches the empty text. */
type Expression =
  | { readonly kind: 'character'; readonly test: RegExp }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly of: Expression; readonly least: number; readonly most: number };

const CHARACTER = /\\[dDwWsS]|\\[^\p{L}\p{N}]|\[\^?(?:\\.|[^\]\\[])+\]|[^\\()[\]{}|*+?^$]/uy;
const REPEAT = /([*+?])|\{(\d{1,3})(,?)(\d{1,3})?\}/y;
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
};

function parsePattern(text: string): Expression | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const ignoreCase = text.startsWith('(?i)');
  // the whole text must match anyway
  const body = text.slice(ignoreCase ? 4 : 0).replace(/^\^|(?<!\\)\$$/g, '');
  const at = { text: body, index: 0, ignoreCase, depth: 0 };
  const expression = readChoice(at);
  return at.index < body.length ? undefined : expression;
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
  // `?` behind a repeat decides which match is found, not whether there is one
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

/** Classes that JavaScript reads otherwise than Go (RE2's syntax, "Perl character classes"). */
const GO_CLASSES: ReadonlyMap<string, string> = new Map([
  ['\\s', '\\t\\n\\f\\r '],
  ['\\S', '\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}'],
]);

function readCharacter(at: Cursor): Expression | undefined {
  const found = take(CHARACTER, at)?.[0];
  if (found === undefined) return undefined;
  try {
    return { kind: 'character', test: new RegExp(`^${sourceOf(found)}$`, at.ignoreCase ? 'iu' : 'u') };
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

/** A state of the automaton. One with a test reads one character; one without is passed at once. */
interface State {
  readonly test?: RegExp;
  readonly next: State[];
}

function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case 'character':
      return 1;
    case 'repeat': {
      const { least, most } = expression;
      return 1 + sizeOf(expression.of) * Math.max(1, most === Infinity ? least + 1 : most);
    }
    case 'sequence':
    case 'choice':
      return expression.of.reduce((sum, part) => sum + sizeOf(part), 1);
  }
}

function compile(expression: Expression, after: State): State {
  switch (expression.kind) {
    case 'character':
      return { test: expression.test, next: [after] };
    case 'sequence':
      return expression.of.reduceRight((next, part) => compile(part, next), after);
    case 'choice':
      return { next: expression.of.map((part) => compile(part, after)) };
    case 'repeat':
      return compileRepeat(expression, after);
  }
}

function compileRepeat({ of, least, most }: Extract<Expression, { kind: 'repeat' }>, after: State): State {
  let start = after;
  if (most === Infinity) {
    start = { next: [] };
    start.next.push(compile(of, start), after);
  } else {
    for (let count = least; count < most; count += 1) start = { next: [compile(of, start), after] };
  }
  for (let count = 0; count < least; count += 1) start = compile(of, start);
  return start;
}

function run(start: State, end: State, text: string): boolean {
  let states = closure([start]);
  for (const character of text) {
    states = closure([...states].filter(({ test }) => test?.test(character)).flatMap(({ next }) => next));
    if (states.size === 0) return false;
  }
  return states.has(end);
}

/** The states, with all that can be reached from them without reading a character. */
function closure(states: readonly State[]): ReadonlySet<State> {
  const reached = new Set<State>();
  const open = [...states];
  for (let state = open.pop(); state; state = open.pop()) {
    if (reached.has(state)) continue;
    reached.add(state);
    if (!state.test) open.push(...state.next);
  }
  return reached;
}
