import { parseArgs } from 'node:util';
import { LAB_FILES, PARTS, type LabFile, type Part } from './lab-files.ts';
import type { Turn } from './turn.ts';

export const USAGE = `npm run test:lab                    the core and a seventh of the rest, by commit count
npm run test:lab -- --part 2        the core and this seventh, 1 to 7
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
  const seventh = PARTS.find((one) => String(one) === part);
  if (part !== undefined && seventh === undefined) throw new Error(`--part ${part}\n${USAGE}`);
  if ([all, part !== undefined, paths.length > 0].filter(Boolean).length > 1)
    throw new Error(`--all, --part and files exclude each other\n${USAGE}`);
  return { all, part: seventh, paths, testName, list };
}

export interface Choice {
  /** In words. */
  readonly why: string;
  readonly files: readonly string[];
  /** By part: the rest. */
  readonly left: ReadonlyMap<Part, readonly string[]>;
}

interface Known {
  readonly files?: Readonly<Record<string, LabFile>>;
  /** Asked only when nobody says which part. */
  readonly turn: () => Turn;
}

/** Which files run. */
export function choose(
  wish: Pick<Wish, 'all' | 'part' | 'paths'>,
  { files = LAB_FILES, turn }: Known,
): Choice {
  const every = Object.keys(files);
  const chosen = (why: string, isWanted: (file: string) => boolean): Choice => {
    const left = Map.groupBy(
      every.filter((file) => !isWanted(file)),
      (file) => files[file]?.part ?? 'core',
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
  const ofTurn = (file: string): boolean => files[file]?.part === 'core' || files[file]?.part === part;
  return chosen(`the core and part ${part} of ${PARTS.length} (${by})`, ofTurn);
}
