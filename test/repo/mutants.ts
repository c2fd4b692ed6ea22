/** What can be changed in the program's sources, one small thing at a time. */
import { type Expression, type Node, parseSync, Visitor } from 'oxc-parser';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Characters of the file. */
type Range = Pick<Node, 'start' | 'end'>;

const SWAPS: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '&&': '||', '||': '&&' },
};

/** Every change that this file knows, in the order of the file. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program } = parseSync(file, text);
  const skipped: Range[] = [];
  const found: Mutant[] = [];
  const change = ({ start, end }: Range, after: string): void => {
    if (skipped.some((range) => range.start <= start && end <= range.end)) return;
    const line = text.slice(0, start).split('\n').length;
    found.push({ file, line, start, end, before: text.slice(start, end), after });
  };
  const skip = (range: Range): void => void skipped.push(range);
  // the text between both sides is the operator's, with spaces, comments and brackets
  const operator = (node: { operator: string; left: Range; right: Range }): void => {
    const start = text.indexOf(node.operator, node.left.end);
    const swapped = SWAPS[node.operator];
    if (swapped !== undefined && start < node.right.start)
      change({ start, end: start + node.operator.length }, swapped);
    if (node.operator === '??') change({ start: node.left.end, end: node.right.end }, '');
  };
  const condition = ({ test }: { test: Expression }): void => {
    change(test, 'true');
    change(test, 'false');
  };
  const named = ({ key, computed }: { key: Range; computed: boolean }): void => {
    if (!computed) skip(key);
  };
  new Visitor({
    ImportDeclaration: skip,
    ImportExpression: skip,
    ExportAllDeclaration: skip,
    ExportNamedDeclaration: ({ source }) => {
      if (source) skip(source);
    },
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeAnnotation: skip,
    TSTypeParameterInstantiation: skip,
    TSTypeParameterDeclaration: skip,
    TSAsExpression: ({ typeAnnotation }) => {
      skip(typeAnnotation);
    },
    TSSatisfiesExpression: ({ typeAnnotation }) => {
      skip(typeAnnotation);
    },
    Property: named,
    PropertyDefinition: named,
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: condition,
    ConditionalExpression: condition,
    UnaryExpression: (node) => {
      if (node.operator === '!') change({ start: node.start, end: node.argument.start }, '');
    },
    Literal: (node) => {
      if (typeof node.value === 'number') change(node, String(node.value + 1));
      if (typeof node.value === 'boolean') change(node, String(!node.value));
      if (typeof node.value === 'string') change(node, node.value === '' ? "'x'" : "''");
    },
    ExpressionStatement: (node) => {
      change(node, ';');
    },
    ReturnStatement: (node) => {
      const returned = node.argument && text.slice(node.argument.start, node.argument.end);
      if (returned && returned !== 'undefined') change(node, 'return;');
    },
    ThrowStatement: (node) => {
      change(node, ';');
    },
  }).visit(program);
  return found;
}

/** One change on each of so many lines, all chosen by the seed (mulberry32). */
export function draw(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const lines = [...Map.groupBy(mutants, ({ file, line }) => `${file}:${line}`).values()];
  return lines
    .map((its) => ({ rank: random(), mutant: its[Math.floor(random() * its.length)] }))
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ mutant }) => mutant ?? [])
    .slice(0, count);
}
