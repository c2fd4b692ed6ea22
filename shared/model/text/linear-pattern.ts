/**
 * Regular expressions that other people write, such as a tenant in an annotation. JavaScript's own go back and try
 * again, so that a short pattern can hold up the process for hours; this follows all ways at once, as Go's do, and takes
 * pattern times text steps at most. The whole text must match.
 */
import { parsePattern } from './pattern-syntax.ts';
import type { Expression } from './pattern-syntax.ts';

export interface Pattern {
  readonly matches: (text: string) => boolean;
}

/** States of the automaton; without this `((a{99}){99}){99}` would be a million. */
const MOST_STATES = 300;

/** The pattern, or what would be allowed. */
export function linearPattern(text: string): Pattern | { readonly allowed: string } {
  const parsed = parsePattern(text);
  if ('allowed' in parsed) return parsed;
  if (sizeOf(parsed.expression) > MOST_STATES)
    return { allowed: 'a regular expression with smaller {counts}' };
  const end: State = { next: [] };
  const start = compile(parsed.expression, end);
  return { matches: (name) => run(start, end, name) };
}

/** Reads one character when it has a test, else is left at once. */
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

/** The state in which `expression` begins when it goes on with `after`. */
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

/** With all that can be reached without a character. */
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
