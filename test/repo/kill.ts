/**
 * Which defects the tests notice: `npx node test/repo/kill.ts [--count 40] [--seed 1] [--only FOLDER] [--tests 'FOLDER FOLDER'] [--all]`.
 *
 * Random lines of `shared` and `functions` are changed, one at a time, in a copy of the last commit, and the tests run against each until
 * one fails; with `--all` all of them run. A busy machine makes tests fail, too: look at what a single file notices.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { filesOf, ROOT } from './files.ts';
import { draw, mutantsOf, type Mutant } from './mutants.ts';

/** What takes longer waits for what does not come. */
const LIMIT_MS = 600_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: 'test/unit test/golden test/scenarios test/laws' },
    all: { type: 'boolean', default: false },
  },
});
const copy = mkdtempSync(join(tmpdir(), 'kill-'));
const read = (file: string): string => readFileSync(join(copy, file), 'utf8');

try {
  const tar = execFileSync('git', ['archive', 'HEAD'], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', copy], { input: tar });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  if ((await failing()).length > 0) throw new Error('the tests fail without a change');
  const sources = filesOf('{shared,functions}/**/*.ts').filter(
    (file) => file.startsWith(values.only) && !file.startsWith('functions/page/browser/'),
  );
  const all = sources.flatMap((file) => mutantsOf(file, read(file)));
  const drawn = draw(all, Number(values.count), Number(values.seed));
  let noticed = 0;
  for (const mutant of drawn) {
    const by = await tried(mutant);
    if (by.length > 0) noticed += 1;
    console.log(`${mutant.file}:${mutant.line}\t${inOneLine(mutant.before)} -> ${inOneLine(mutant.after)}`);
    console.log(by.length > 0 ? `    ${by.join('\n    ')}` : '    NOBODY NOTICES');
  }
  console.log(`${noticed} of ${drawn.length} are noticed`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function tried({ file, start, end, after }: Mutant): Promise<readonly string[]> {
  const text = read(file);
  writeFileSync(join(copy, file), text.slice(0, start) + after + text.slice(end));
  try {
    return await failing();
  } finally {
    writeFileSync(join(copy, file), text);
  }
}

/** The test files that fail. */
async function failing(): Promise<readonly string[]> {
  const told = join(copy, 'told.json');
  rmSync(told, { force: true });
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const how = ['--reporter=json', `--outputFile=${told}`, `--bail=${values.all ? 0 : 1}`];
  const child = spawn(process.execPath, [vitest, 'run', ...how, ...values.tests.split(' ')], {
    ...{ cwd: copy, stdio: 'ignore', detached: true },
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LIMIT_MS);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  if (code === 0) return [];
  if (code === null) return ['a test that never ends'];
  const { testResults } = JSON.parse(readFileSync(told, 'utf8')) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[];
  };
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(copy, name));
  return failed.length > 0 ? failed : ['an error outside of any test'];
}

function inOneLine(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line === '' ? '(nothing)' : line.slice(0, 100);
}
