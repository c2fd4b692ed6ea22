/**
 * Shows which defects in the core the tests notice: `node test/bench/mutate.ts [--count=30] [--seed=1] FOLDER...`.
 *
 * Each mutant changes one expression of the plan, the desired state or the execution in a copy of the folder: it negates a
 * condition, swaps && and ||, or drops a filter. The golden and unit tests run with it, then the laws, then the scenarios, up to the first
 * failure. With several folders, such as this checkout and an older one, the mutants are those that all of them have: the same
 * expression of a function of the same name. The last lines count how many were noticed in each folder.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Expression, type Function as FunctionNode, parseSync, type Program, Visitor } from 'oxc-parser';

/** The core, here and before each controller had a folder of its own. */
const CORE = 'shared/{plan,desired,apply,service/plan,service/desired}/**/*.ts';
const SUITES = [['test/golden', 'test/unit'], ['test/laws'], ['test/scenarios']];
/** Of one function at most so many, so that long ones do not take all. */
const MOST_OF_ONE = 2;
const TIME_LIMIT_MS = 600_000;

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const folders = (positionals.length > 0 ? positionals : ['.']).map((folder) => resolve(folder));

const copies = folders.map(copyOf);
try {
  await compare();
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}

async function compare(): Promise<void> {
  const found = copies.map(mutantsOf);
  const [first = new Map<string, Mutant>()] = found;
  const common = [...first.keys()].filter((key) => found.every((mutants) => mutants.has(key)));
  const chosen = draw(common, Number(values.count), Number(values.seed));
  process.stdout.write(`${chosen.length} of ${common.length} mutants that all folders have\n`);
  for (const copy of copies)
    for (const suite of SUITES)
      if (await isRed(copy, suite)) throw new Error(`${suite.join(' ')} fails without any mutant in ${copy}`);
  const noticed = copies.map(() => 0);
  for (const key of chosen) {
    const results: string[] = [];
    for (const [at, copy] of copies.entries()) {
      const mutant = found[at]?.get(key);
      if (!mutant) continue;
      const by = await noticedBy(copy, mutant);
      if (by !== undefined) noticed[at] = (noticed[at] ?? 0) + 1;
      results.push(by ?? `NOT NOTICED (${mutant.file}:${mutant.line})`);
    }
    process.stdout.write(`${key}\t${results.join('\t')}\n`);
  }
  for (const [at, folder] of folders.entries())
    process.stdout.write(`${folder}: ${noticed[at] ?? 0} of ${chosen.length} noticed\n`);
}

function copyOf(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutate-'));
  const isLeftOut = (path: string): boolean => ['node_modules', '.git', '.cache'].includes(basename(path));
  cpSync(folder, copy, { recursive: true, filter: (path) => !isLeftOut(path) });
  symlinkSync(join(folder, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** By function, kind and place among the function's expressions of that kind. */
function mutantsOf(copy: string): ReadonlyMap<string, Mutant> {
  const found = new Map<string, Mutant>();
  const ambiguous = new Set<string>();
  for (const file of globSync(CORE, { cwd: copy }).sort()) {
    const text = readFileSync(join(copy, file), 'utf8');
    const { program } = parseSync(file, text);
    const mutations = mutationsIn(program, text);
    for (const { id, start: from, end: to } of functionsOf(program)) {
      const name = id?.name ?? '';
      const counts = new Map<string, number>();
      const own = mutations.filter(([, { start, end }]) => start >= from && end <= to);
      const mutants = own.map(([kind, { start, end }, replacement]) => {
        const place = (counts.get(kind) ?? 0) + 1;
        counts.set(kind, place);
        const line = text.slice(0, start).split('\n').length;
        return [`${kind} ${place}`, { file, line, start, end, text: replacement }] as const;
      });
      // a function that was changed otherwise has other expressions: their places would not match
      const shape = [...counts].map(([kind, count]) => `${count} ${kind}`).sort();
      for (const [place, mutant] of mutants) {
        const key = `${name} (${shape.join(', ')}): ${place}`;
        if (found.has(key)) ambiguous.add(key);
        found.set(key, mutant);
      }
    }
  }
  return new Map([...found].filter(([key]) => !ambiguous.has(key)));
}

type Mutation = readonly [kind: string, range: Range, replacement: string];

/** Characters of the file. */
type Range = Pick<Mutant, 'start' | 'end'>;

function functionsOf({ body }: Program): readonly FunctionNode[] {
  return body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return declared?.type === 'FunctionDeclaration' ? [declared] : [];
  });
}

function mutationsIn(program: Program, text: string): readonly Mutation[] {
  const found: Mutation[] = [];
  const textOf = (node: Range): string => text.slice(node.start, node.end);
  const negate = ({ test }: { test: Expression }): void => {
    found.push(['negation', test, `!(${textOf(test)})`]);
  };
  // the text between both sides is the operator's, with spaces, comments and brackets
  const swap = (kind: string, left: Range, right: Range, from: string, to: string): void => {
    const at = text.indexOf(from, left.end);
    if (at < right.start) found.push([kind, { start: at, end: at + from.length }, to]);
  };
  const visitor = new Visitor({
    IfStatement: negate,
    ConditionalExpression: negate,
    LogicalExpression({ operator, left, right }) {
      if (operator === '&&') swap('or', left, right, '&&', '||');
      if (operator === '||') swap('and', left, right, '||', '&&');
    },
    CallExpression(node) {
      const { callee } = node;
      if (
        callee.type === 'MemberExpression' &&
        'name' in callee.property &&
        callee.property.name === 'filter'
      )
        found.push(['no filter', node, textOf(callee.object)]);
    },
  });
  visitor.visit(program);
  return found;
}

/** The first ones in an order that the seed gives (mulberry32). */
function draw(keys: readonly string[], count: number, seed: number): readonly string[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const drawn = new Map<string, number>();
  return keys
    .toSorted()
    .map((key) => [random(), key] as const)
    .sort(([a], [b]) => a - b)
    .map(([, key]) => key)
    .filter((key) => {
      const [name = ''] = key.split(' ');
      const before = drawn.get(name) ?? 0;
      drawn.set(name, before + 1);
      return before < MOST_OF_ONE;
    })
    .slice(0, count);
}

/** The folders of the tests of which one failed; undefined: all tests passed. */
async function noticedBy(copy: string, mutant: Mutant): Promise<string | undefined> {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, mutant.start) + mutant.text + text.slice(mutant.end));
  try {
    for (const suite of SUITES)
      if (await isRed(copy, suite)) return suite.map((folder) => basename(folder)).join(' or ');
    return undefined;
  } finally {
    writeFileSync(path, text);
  }
}

/** Tests that never end have failed, too. */
function isRed(copy: string, suite: readonly string[]): Promise<boolean> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  if (!existsSync(vitest)) throw new Error(`${copy} has no node_modules: run npm ci in its folder`);
  const options = { cwd: copy, stdio: 'ignore', detached: true } as const;
  const run = spawn(process.execPath, [vitest, 'run', '--bail=1', ...suite], options);
  const stop = setTimeout(() => process.kill(-(run.pid ?? 0), 'SIGKILL'), TIME_LIMIT_MS);
  return new Promise((settle, fail) => {
    run.on('error', fail);
    run.on('close', (code) => {
      clearTimeout(stop);
      settle(code !== 0);
    });
  });
}
