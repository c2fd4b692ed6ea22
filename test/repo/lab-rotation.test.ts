/** Which lab files run when: five commits in a row run all of them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { choose, partOf, readCommandLine, turnOf, type Choice } from '../e2e/rotation/choice.ts';
import { LAB_FILES, OLDEST, PARTS, WITH_OLDEST, type Part } from '../e2e/rotation/lab-files.ts';
import { filesOf, ROOT } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'levelset-rotation-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const every = Object.keys(LAB_FILES).sort();
const ofPart = (part: Part): readonly string[] => every.filter((file) => LAB_FILES[file]?.part === part);
const chosen = (args: readonly string[], count = 0): Choice =>
  choose(readCommandLine(args), () => ({ part: partOf(count), by: `commit ${count}` }));

test('every lab file is in the core or in a part, and nothing else is', () => {
  expect(every).toEqual(filesOf('test/{e2e,conformance}/**/*.test.ts'));
});

test('what runs on the oldest Kubernetes is a file of the suite, in the cluster of that version from its first line on', () => {
  const files = filesOf(`${OLDEST}*.test.ts`);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const [first, second = '', ...rest] = readFileSync(join(ROOT, file), 'utf8').split('\n');
    expect([first, rest]).toEqual([`import './kubernetes-1.29.ts';`, ['']]);
    const other = /^import '\.\.\/(.*)';$/.exec(second)?.[1] ?? '';
    expect(every, second).toContain(`test/e2e/${other}`);
    expect(other.split('/').at(-1)).toBe(file.slice(OLDEST.length));
  }
});

test('a file that uses the oldest Kubernetes has it', () => {
  const using = every.filter((file) =>
    /useVersion|kubernetes-1\.29/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(using).toEqual(every.filter((file) => WITH_OLDEST.some((begin) => file.startsWith(begin))));
});

test('the parts are of about equal length', () => {
  const lengths = PARTS.map((part) =>
    ofPart(part).reduce((sum, file) => sum + (LAB_FILES[file]?.seconds ?? 0), 0),
  );
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(Math.max(...lengths) / 5);
});

test('five commits in a row run every file, each of them the core, and the rest is told', () => {
  for (const first of [440, 441, 444]) {
    const runs = PARTS.map((_, after) => chosen([], first + after));
    expect([...new Set(runs.flatMap(({ files }) => files))].sort()).toEqual(every);
    for (const { files, left } of runs) {
      expect(files).toEqual(expect.arrayContaining([...ofPart('core')]));
      expect([...files, ...[...left.values()].flat()].sort()).toEqual(every);
      expect([...left.keys()]).toHaveLength(PARTS.length - 1);
    }
  }
});

test('the turn is the count of commits, where history is shallow the time of the commit', () => {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const [whole, shallow] = [join(folder, 'whole'), join(folder, 'shallow')];
  git('init', '--quiet', whole);
  for (const second of [1_795_000_001, 1_795_000_004]) {
    const at = `${second} +0000`;
    execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', String(second)], {
      cwd: whole,
      env: {
        ...process.env,
        ...{ GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
        ...{
          GIT_AUTHOR_NAME: 'a',
          GIT_AUTHOR_EMAIL: 'a@b',
          GIT_COMMITTER_NAME: 'a',
          GIT_COMMITTER_EMAIL: 'a@b',
        },
      },
    });
  }
  git('clone', '--quiet', '--depth', '1', `file://${whole}`, shallow);
  expect(turnOf(whole)).toEqual({ part: partOf(2), by: 'commit 2' });
  expect(turnOf(shallow)).toEqual({
    part: partOf(1_795_000_004),
    by: 'commit of 1795000004 s, the history is shallow',
  });
  expect(partOf(1_795_000_004)).not.toBe(partOf(2));
});

test('everything, one part and single files can be asked for', () => {
  expect(chosen(['--all']).files.toSorted()).toEqual(every);
  expect(chosen(['--part', '3']).files.toSorted()).toEqual([...ofPart('core'), ...ofPart(3)].sort());
  expect(chosen(['test/e2e/routes/routes.test.ts']).files).toEqual(['test/e2e/routes/routes.test.ts']);
});

test.each([
  [['--everything'], /--everything[^]*--part[^]*--all[^]*FILE[^]*-t [^]*--list/],
  [['--part', '8'], /--part 8[^]*1 to 5/],
  [['--part'], /--part[^]*1 to 5/],
  [['--all', '--part', '1'], /exclude each other/],
  [['no-such'], /no-such[^]*test\/e2e\/service\/service\.test\.ts/],
])('%j is refused with what is allowed', (args, words) => {
  expect(() => chosen(args)).toThrow(words);
});
