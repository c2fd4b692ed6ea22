import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { LAB_FILES, PARTS, type Part } from './lab-files.ts';

export const USAGE = `npm run test:lab                    the core and a fifth of the rest, by commit count
npm run test:lab -- --part 2        the core and this fifth, 1 to 5
npm run test:lab -- --all           everything
npm run test:lab -- FILE...         these, by a part of their path; -t 'part of a name': only such tests
                       --list       say what would run, and run nothing`;

/** What a command line asks for. */
export interface Wish {
  readonly all: boolean;
  readonly part: Turn['part'] | undefined;
  /** Files, by a part of their path. */
  readonly paths: readonly string[];
  readonly testName: string | undefined;
  readonly list: boolean;
}

/** Throws with all that is allowed when it does not understand. */
export function readCommandLine(args: readonly string[]): Wish {
  const read = () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        part: { type: 'string' },
        list: { type: 'boolean', default: false },
        testNamePattern: { type: 'string', short: 't' },
      },
    });
  let found: ReturnType<typeof read>;
  try {
    found = read();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
  const { all, part, list, testNamePattern: testName } = found.values;
  const paths = found.positionals;
  const fifth = PARTS.find((one) => String(one) === part);
  if (part !== undefined && fifth === undefined) throw new Error(`--part ${part}\n${USAGE}`);
  if ([all, part !== undefined, paths.length > 0].filter(Boolean).length > 1)
    throw new Error(`--all, --part and files exclude each other\n${USAGE}`);
  return { all, part: fifth, paths, testName, list };
}

export interface Choice {
  /** In words. */
  readonly why: string;
  readonly files: readonly string[];
  /** By part: the rest. */
  readonly left: ReadonlyMap<Part, readonly string[]>;
}

export interface Turn {
  readonly part: Exclude<Part, 'core'>;
  /** What it was found by, to be read by people: `commit 441`. */
  readonly by: string;
}

/**
 * Whose turn it is: the count of commits decides, so that five commits in a row have everything run. A shallow history
 * cannot count; there the time of the commit decides. Throws where there is no history at all.
 */
export function flowOf(repository: string): Turn {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  if (git('rev-parse', '--is-shallow-repository') === 'true') {
    const seconds = git('log', '-1', '--format=%ct');
    return { part: partOf(Number(seconds)), by: `commit of ${seconds} s, the history is shallow` };
  }
  const count = git('rev-list', '--count', 'HEAD');
  return { part: partOf(Number(count)), by: `commit ${count}` };
}

export function partOf(turn: number): Turn['part'] {
  return PARTS[turn % PARTS.length] ?? 1;
}

/** Which files run. `turn` is asked only when nobody says which part. */
export function choose(wish: Pick<Wish, 'all' | 'part' | 'paths'>, turn: () => Turn): Choice {
  const every = Object.keys(LAB_FILES);
  const chosen = (why: string, isWanted: (file: string) => boolean): Choice => {
    const left = Map.groupBy(
      every.filter((file) => !isWanted(file)),
      (file) => LAB_FILES[file]?.part ?? 'core',
    );
    return { why, files: every.filter(isWanted), left };
  };
  if (wish.all) return chosen('everything', () => true);
  if (wish.paths.length > 0) {
    const strange = wish.paths.filter((path) => !every.some((file) => file.includes(path)));
    if (strange.length > 0)
      throw new Error(`no lab file is called ${strange.join(', ')}; there are\n${every.join('\n')}`);
    return chosen(wish.paths.join(', '), (file) => wish.paths.some((path) => file.includes(path)));
  }
  const { part, by } = wish.part === undefined ? turn() : { part: wish.part, by: 'as asked for' };
  const ofTurn = (file: string): boolean => ['core', part].includes(LAB_FILES[file]?.part ?? 'core');
  return chosen(`the core and part ${part} of ${PARTS.length} (${by})`, ofTurn);
}
