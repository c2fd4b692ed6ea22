/** Which lab files run with which commit. */
import { expect, test } from 'vitest';
import { LAB_FILES, OLDEST, PARTS, WITH_OLDEST, type Part } from '../e2e/rotation/lab-files.ts';
import { filesOf, textOf } from './files.ts';

const every = Object.keys(LAB_FILES).sort();
const ofPart = (part: Part): readonly string[] => every.filter((file) => LAB_FILES[file]?.part === part);

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
    expect(other.split('/').at(-1)).toBe(file.slice(OLDEST.length));
  }
});

test('a file that uses the oldest Kubernetes has it', () => {
  const using = every.filter((file) => /useVersion|kubernetes-1\.29/.test(textOf(file)));
  expect(using).toEqual(every.filter((file) => WITH_OLDEST.some((begin) => file.startsWith(begin))));
});

test('the parts are of about equal length', () => {
  const lengths = PARTS.map((part) =>
    ofPart(part).reduce((sum, file) => sum + (LAB_FILES[file]?.seconds ?? 0), 0),
  );
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(Math.max(...lengths) / 5);
});
