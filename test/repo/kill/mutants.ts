/** What can be changed in the program's sources, and the sources with a mark in every block that tells when it is entered. */
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** The innermost block around it. */
  readonly block: string;
}

/** Characters of the file. */
type Range = Pick<ESTree.Node, 'start' | 'end'>;

const SWAPS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

/** Every change that this file knows, in the order of the file. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program } = parseSync(file, text);
  const blocks = blocksOf(program);
  const skipped: Range[] = [];
  const found: Mutant[] = [];
  const change = ({ start, end }: Range, after: string): void => {
    if (skipped.some((range) => range.start <= start && end <= range.end)) return;
    const around = blocks.filter((block) => block.start <= start && end <= block.end);
    const block = idOf(file, around.at(-1)?.start ?? 0);
    const line = text.slice(0, start).split('\n').length;
    found.push({ file, line, start, end, before: text.slice(start, end), after, block });
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
  const condition = ({ test }: { test: ESTree.Expression }): void => {
    change(test, 'true');
    change(test, 'false');
  };
  const named = ({ key, computed }: { key: Range; computed: boolean }): void => {
    if (!computed) skip(key);
  };
  new Visitor({
    ImportDeclaration: skip,
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
    ImportExpression: skip,
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

/** The same source, which appends the id of each block to the file KILL_REACH when it is first entered. */
export function marked(file: string, text: string): string {
  const { program } = parseSync(file, text);
  const marks = blocksOf(program).flatMap(({ start, end, isExpression }): readonly [number, string][] => {
    const mark = `globalThis.__reach?.('${idOf(file, start)}')`;
    if (isExpression)
      return [
        [start, `(${mark}, `],
        [end, ')'],
      ];
    return [[start + 1, `${mark};`]];
  });
  const first = program.body[0]?.start ?? text.length;
  const all: readonly [number, string][] = [
    [first, `${PRELUDE}globalThis.__reach('${idOf(file, 0)}');`],
    ...marks,
  ];
  // what ends at a place comes before what begins there
  return all
    .toSorted(([a, one], [b, other]) => b - a || Number(one === ')') - Number(other === ')'))
    .reduce((whole, [at, mark]) => whole.slice(0, at) + mark + whole.slice(at), text);
}

const PRELUDE =
  'globalThis.__reached ??= new Set();' +
  'globalThis.__reach ??= (id) => {' +
  'if (globalThis.__reached.has(id)) return;' +
  'globalThis.__reached.add(id);' +
  'const to = globalThis.process?.env.KILL_REACH;' +
  "if (to) process.getBuiltinModule('node:fs').appendFileSync(to, id + '\\n');" +
  '};';

interface Block extends Range {
  readonly isExpression: boolean;
}

/** Outer ones before inner ones. */
function blocksOf(program: ESTree.Program): readonly Block[] {
  const found: Block[] = [];
  new Visitor({
    BlockStatement: ({ start, end }) => void found.push({ start, end, isExpression: false }),
    ArrowFunctionExpression: ({ body, expression }) => {
      if (expression) found.push({ start: body.start, end: body.end, isExpression: true });
    },
  }).visit(program);
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

export function idOf(file: string, start: number): string {
  return `${file}:${start}`;
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
