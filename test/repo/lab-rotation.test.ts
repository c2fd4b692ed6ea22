/** Which lab files run when: five commits in a row run all of them. */
import { expect, test } from 'vitest';
import { choose } from '../e2e/rotation/choice.ts';
import { LAB_FILES, OLDEST, PARTS } from '../e2e/rotation/lab-files.ts';
import { filesOf, textOf } from './files.ts';

const every = Object.keys(LAB_FILES).sort();
const chosen = (args: readonly string[], commits = 0): readonly string[] => choose(args, () => commits).files;
const core = every.filter((file) => LAB_FILES[file]?.part === 'core');

test('every lab file is in the core or in a part, and nothing else is', () => {
  expect(every).toEqual(filesOf('test/{e2e,conformance}/**/*.test.ts'));
});

test('what runs on the oldest Kubernetes is a file of the suite, in the cluster of that version from its first line on', () => {
  const files = filesOf(`${OLDEST}*.test.ts`);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const [first, second = '', ...rest] = textOf(file).split('\n');
    expect([first, rest]).toEqual([`import './kubernetes-1.29.ts';`, ['']]);
    const other = /^import '\.\.\/(.*)';$/.exec(second)?.[1] ?? '';
    expect(every, second).toContain(`test/e2e/${other}`);
  }
});

test('five commits in a row run every file, each of them the core', () => {
  const runs = Array.from({ length: PARTS }, (_, after) => chosen([], 440 + after));
  expect([...new Set(runs.flat())].sort()).toEqual(every);
  for (const files of runs) {
    expect(files).toEqual(expect.arrayContaining(core));
    expect(files.length).toBeLessThan(every.length / 2);
  }
});

test('everything, one part and single files can be asked for', () => {
  expect(chosen(['--all']).toSorted()).toEqual(every);
  expect(chosen(['--part', '3'])).toEqual(chosen([], 2));
  expect(chosen(['test/e2e/routes/routes.test.ts'])).toEqual(['test/e2e/routes/routes.test.ts']);
});

test.each([[['--everything']], [['--part', '8']], [['--part']], [['no-such']]])('%j is refused', (args) => {
  expect(() => chosen(args)).toThrow();
});
