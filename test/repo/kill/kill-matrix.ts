/**
 * Which test files notice which defect: `node test/repo/kill/kill-matrix.ts [--count 400] [--seed 1] [--only FOLDER] [--tests PATTERN]
 * [--limit SECONDS] [--minutes N] [--resume] [--first] [--commit COMMIT]`.
 *
 * Random lines of `shared` and `functions` are changed, one at a time, in a copy of the commit. The test files that enter the block
 * around the change run against it, the quickest first, for a minute at most (`--limit`; more on a busy machine). What each file enters is
 * recorded once per commit, which takes longer than `npm test`; what there was no time for is recorded by the next run. A file that
 * alone notices a change has to notice it twice, since a busy machine makes tests fail, too. `--first` asks only whether one notices
 * it, for a quiet machine. All results are in ~/.cache/levelset/kill; `--resume` goes on where a run ended, `--minutes` ends it.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importsOf, ROOT } from '../files.ts';
import { draw, idOf, marked, type Mutant, mutantsOf } from './mutants.ts';
import { printMatrix } from './print-matrix.ts';

/** They judge the simulators, or read the text of the sources. */
const OF_OTHERS = /^test\/(conformance|e2e|repo|sandbox)\//;
const TOOL = 'test/repo/kill';

/** What vitest tells of a test file: that it began, or, with `ok`, how it ended. Without a name: errors outside of any file. */
export interface Told {
  readonly file: string;
  readonly at: number;
  readonly ok?: boolean;
  readonly ms?: number;
  readonly failed?: readonly string[];
}

export interface TestFile {
  readonly file: string;
  readonly ms: number;
  /** Ids of blocks. */
  readonly enters: readonly string[];
}

export interface Result {
  readonly mutant: Mutant;
  readonly killers: readonly string[];
  /** How many files enter its block, and how many of them ended in time. */
  readonly reach: number;
  readonly ran: number;
  readonly seconds: number;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '400' },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    limit: { type: 'string', default: '60' },
    minutes: { type: 'string', default: 'Infinity' },
    commit: { type: 'string', default: 'HEAD' },
    resume: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
  },
});

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const asked = new RegExp(values.tests);
const LIMIT_MS = Number(values.limit) * 1000;
const end = Date.now() + Number(values.minutes) * 60_000;
/** Leaves half of the time for mutants. */
const RECORD_LIMIT_MS = Math.min(3_600_000, (Number(values.minutes) * 60_000) / 2);
const commit = git('rev-parse', '--short=12', values.commit);
const cache = join(homedir(), '.cache/levelset/kill', commit);
const temporary = mkdtempSync(join(tmpdir(), 'kill-'));
const copy = join(temporary, 'copy');
const told = join(temporary, 'told');
const order = join(temporary, 'order');

let stop = (): void => undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stop();
    rmSync(temporary, { recursive: true, force: true });
    process.exit(1);
  });

try {
  mkdirSync(cache, { recursive: true });
  makeCopy();
  const tests = (await recorded()).filter(({ file }) => asked.test(file));
  const results = await matrix(tests);
  printMatrix(results, tests, `seed ${values.seed}, commit ${commit}`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  const tar = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', copy], { input: tar });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  cpSync(join(ROOT, TOOL), join(copy, TOOL), { recursive: true });
}

function sources(): readonly string[] {
  return globSync('{shared,functions}/**/*.ts', { cwd: copy })
    .filter((file) => !file.startsWith('functions/page/browser/') && !file.endsWith('.d.ts'))
    .sort();
}

function read(file: string): string {
  return readFileSync(join(copy, file), 'utf8');
}

/** The test files with what each enters; those that the cache lacks are run first, as many as there is time for. */
async function recorded(): Promise<readonly TestFile[]> {
  const path = join(cache, 'reach.json');
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestFile[]) : [];
  const lacking = globSync('test/**/*.test.ts', { cwd: copy })
    .filter((file) => !OF_OTHERS.test(file) && asked.test(file))
    .filter((file) => known.every((one) => one.file !== file))
    .sort((a, b) => placeOf(a) - placeOf(b));
  if (lacking.length === 0) return known;
  for (const file of sources()) writeFileSync(join(copy, file), marked(file, read(file)));
  const folder = join(temporary, 'reach');
  mkdirSync(folder);
  const marks = await runTests(lacking, RECORD_LIMIT_MS, { KILL_REACH_FOLDER: folder });
  makeCopy();
  const red = marks.filter(({ ok, file }) => ok === false && file !== '').map(({ file }) => file);
  const again = await runTests(red, RECORD_LIMIT_MS);
  const ended = new Map(
    [...marks, ...again].filter(({ ok }) => ok !== undefined).map((one) => [one.file, one]),
  );
  for (const { file, ok, ms = 0 } of ended.values()) {
    if (ok === false) console.log(`left out, since it fails without a change: ${file}`);
    const reach = join(folder, file.replaceAll('/', '+'));
    const ids = existsSync(reach) ? readFileSync(reach, 'utf8').split('\n') : [];
    // what fails without a change says nothing about one
    if (file !== '') known.push({ file, ms, enters: ok ? [...new Set(ids)].filter(Boolean) : [] });
  }
  writeFileSync(path, JSON.stringify(known));
  console.log(`recorded what ${ended.size} of ${lacking.length} test files enter`);
  return known;
}

/** Where there is not time for all: those first that hold most for their seconds. */
function placeOf(file: string): number {
  const homes = ['unit', 'golden', 'scenarios', 'http', 'faults', 'laws', 'functions'];
  return homes.indexOf(file.split('/')[1] ?? '');
}

async function matrix(tests: readonly TestFile[]): Promise<readonly Result[]> {
  const { seed, only, tests: some, first } = values;
  const name = [first ? 'first' : 'results', seed, only, some].join('+').replace(/[^\w.^-]+/g, '+');
  const path = join(cache, `${name}.jsonl`);
  if (!values.resume) rmSync(path, { force: true });
  const before = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const results = before.map((line) => JSON.parse(line) as Result);
  const done = new Set(results.map(({ mutant }) => idOf(mutant.file, mutant.start)));
  const reaching = reachOf(tests);
  const all = sources()
    .filter((file) => file.startsWith(values.only))
    .flatMap((file) => mutantsOf(file, read(file)));
  for (const mutant of draw(all, Number(values.count), Number(values.seed))) {
    if (done.has(idOf(mutant.file, mutant.start))) continue;
    if (Date.now() > end) break;
    const result = await tried(mutant, reaching(mutant));
    const { killers, reach, ran, seconds } = result;
    const answered = ran > 0 || reach === 0 || killers.length > 0;
    if (answered) {
      results.push(result);
      appendFileSync(path, `${JSON.stringify(result)}\n`);
    }
    const survived = answered ? 'SURVIVED' : 'no answer in time';
    const verdict = killers.length > 0 ? `killed by ${killers.length}` : survived;
    console.log(`${mutant.file}:${mutant.line}\t${verdict}, ${ran} of ${reach} ran\t${seconds} s`);
  }
  return results;
}

/** The quickest first. What no block surrounds is run when its file is loaded: those enter it that enter anything of it or of its importers. */
function reachOf(tests: readonly TestFile[]): (mutant: Mutant) => readonly TestFile[] {
  const fileOf = (id: string): string => id.slice(0, id.lastIndexOf(':'));
  const sorted = tests.toSorted((a, b) => a.ms - b.ms);
  const byTest = sorted.map((test) => ({
    test,
    blocks: new Set(test.enters),
    files: new Set(test.enters.filter((id) => !id.endsWith(':0')).map(fileOf)),
  }));
  const imports = [...sources(), ...sorted.map(({ file }) => file)].flatMap((file) =>
    existsSync(join(ROOT, file)) ? importsOf(file).filter(({ type }) => !type) : [],
  );
  const importers = Map.groupBy(imports, ({ target }) => target);
  return ({ file, block }) => {
    const near = new Set([file, ...(importers.get(file) ?? []).map(({ from }) => from)]);
    return byTest
      .filter(({ test, blocks, files }) =>
        block === idOf(file, 0)
          ? [...near].some((one) => files.has(one) || one === test.file)
          : blocks.has(block),
      )
      .map(({ test }) => test);
  };
}

async function tried(mutant: Mutant, tests: readonly TestFile[]): Promise<Result> {
  const began = Date.now();
  const text = read(mutant.file);
  const path = join(copy, mutant.file);
  writeFileSync(path, text.slice(0, mutant.start) + mutant.after + text.slice(mutant.end));
  try {
    const first = await outcome(tests);
    const [sole, ...others] = first.killers;
    const doubtful = sole !== undefined && others.length === 0 && first.ran > 1 && !values.first;
    const { killers } = doubtful ? await outcome(tests.filter(({ file }) => file === sole)) : first;
    return {
      mutant,
      killers: killers.filter((one) => first.killers.includes(one)),
      reach: tests.length,
      ran: first.ran,
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    writeFileSync(path, text);
  }
}

/** The files that failed or never ended, of those that the time was enough for. */
async function outcome(tests: readonly TestFile[]) {
  const files = tests.map(({ file }) => file);
  const reports = await runTests(files, LIMIT_MS);
  const until = Date.now();
  const ended = new Map(
    reports.filter(({ ok, file }) => ok !== undefined && file !== '').map((one) => [one.file, one]),
  );
  const usual = new Map(tests.map(({ file, ms }) => [file, ms]));
  // a file that takes much longer than usual waits for what does not come
  const hung = reports.filter(
    ({ file, at }) => !ended.has(file) && until - at > 15_000 + 3 * (usual.get(file) ?? Infinity),
  );
  const failed = [...ended.values()].filter(({ ok }) => ok === false);
  const killers = [...failed, ...hung].map(({ file }) => file);
  return { killers: [...new Set(killers)].filter((file) => usual.has(file)), ran: ended.size };
}

/** In this order. */
async function runTests(
  files: readonly string[],
  limitMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Told[]> {
  if (files.length === 0) return [];
  writeFileSync(order, JSON.stringify(files));
  writeFileSync(told, '');
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const isRecording = env['KILL_REACH_FOLDER'] !== undefined;
  const options = ['--config', `${TOOL}/vitest.config.ts`, `--maxWorkers=${isRecording ? 2 : 1}`];
  if (values.first && !isRecording) options.push('--bail=1');
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...files], {
    cwd: copy,
    env: { ...process.env, ...env, KILL_ORDER: order, KILL_TOLD: told },
    stdio: ['ignore', 'ignore', process.env['KILL_DEBUG'] ? 'inherit' : 'ignore'],
    detached: true,
  });
  stop = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // all have ended
    }
  };
  const timer = setTimeout(stop, limitMs);
  await new Promise((settle) => {
    child.on('close', settle);
  });
  clearTimeout(timer);
  stop();
  return readFileSync(told, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Told);
}
