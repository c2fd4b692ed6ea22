import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { LAB_FILES, PARTS } from './lab-files.ts';

export const USAGE = `npm run test:lab                    the core and a fifth of the rest, by commit count
npm run test:lab -- --part 2        the core and this fifth, 1 to 5
npm run test:lab -- --all           everything
npm run test:lab -- FILE...         these, by a part of their path; -t 'part of a name': only such tests
                       --list       say what would run, and run nothing`;

export interface Choice {
  readonly files: readonly string[];
  readonly testName: string | undefined;
  /** Say what would run, and run nothing. */
  readonly list: boolean;
}

/** What a command line asks for; without --part the count of commits says which, so that five commits in a row have everything run. */
export function choose(args: readonly string[], commits: () => number = countCommits): Choice {
  const { values, positionals: paths } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean' },
      part: { type: 'string' },
      list: { type: 'boolean', default: false },
      testNamePattern: { type: 'string', short: 't' },
    },
  });
  const { all = false, part = String(1 + (commits() % PARTS)), list, testNamePattern: testName } = values;
  const every = Object.keys(LAB_FILES);
  const isWanted = (file: string): boolean =>
    paths.length > 0
      ? paths.some((path) => file.includes(path))
      : all || ['core', part].includes(String(LAB_FILES[file]?.part));
  const files = every.filter(isWanted);
  if (files.length === 0 || !(Number(part) >= 1 && Number(part) <= PARTS))
    throw new Error(`no lab file is meant by ${args.join(' ')}; there are\n${every.join('\n')}`);
  return { files, testName, list };
}

function countCommits(): number {
  const count = execFileSync('git', ['rev-list', '--count', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return Number(count);
}
