import { parseArgs } from 'node:util';
import { LAB_FILES, PARTS, type LabFile, type Part } from './lab-files.ts';
import type { Turn } from './turn.ts';

export const USAGE = `npm run test:lab                    the core, a third of the rest by commit count, and what is owed
npm run test:lab -- --part 2        the same with this third: 1, 2 or 3
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
  const third = PARTS.find((one) => String(one) === part);
  if (part !== undefined && third === undefined) throw new Error(`--part ${part}\n${USAGE}`);
  if ([all, part !== undefined, paths.length > 0].filter(Boolean).length > 1)
    throw new Error(`--all, --part and files exclude each other\n${USAGE}`);
  return { all, part: third, paths, testName, list };
}

export interface Choice {
  /** In words. */
  readonly why: string;
  readonly files: readonly string[];
  readonly isByTurn: boolean;
  /** Of them, those that run although it is not their turn. */
  readonly owed: readonly string[];
  /** By part: the rest. */
  readonly left: ReadonlyMap<Part, readonly string[]>;
}

interface Known {
  readonly files?: Readonly<Record<string, LabFile>>;
  readonly owed: readonly string[];
  /** Asked only when nobody says which part. */
  readonly turn: () => Turn;
}

/** Which files run. Files that were asked for by name run alone, whatever is owed. */
export function choose(
  wish: Pick<Wish, 'all' | 'part' | 'paths'>,
  { files = LAB_FILES, owed, turn }: Known,
): Choice {
  const every = Object.keys(files);
  const chosen = (why: string, wanted: (file: string) => boolean, owing: readonly string[] = []): Choice => {
    const isIn = (file: string): boolean => wanted(file) || owing.includes(file);
    const left = Map.groupBy(
      every.filter((file) => !isIn(file)),
      (file) => files[file]?.part ?? 'core',
    );
    const late = owing.filter((file) => every.includes(file) && !wanted(file));
    return { why, files: every.filter(isIn), isByTurn: false, owed: late, left };
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
  return { ...chosen(`the core and part ${part} of ${PARTS.length} (${by})`, ofTurn, owed), isByTurn: true };
}
