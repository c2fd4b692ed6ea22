import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { filesOf, ROOT, textOf } from './files.ts';

const documents = [...filesOf('*.md'), ...filesOf('{docs,infra,test,examples}/**/*.md')];
const sources = filesOf('{functions,shared,infra/sandbox,test,docs}/**/*.{ts,md}');
const names = new Set(filesOf('{functions,shared,infra,test,docs}/**/*').map((path) => basename(path)));
const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** Links of a document to files of the project, from the project's root; the part after # apart. */
function linksOf(path: string): readonly { readonly target: string; readonly anchor: string }[] {
  const found = [...textOf(path).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return found.map(([, target = '', anchor = '']) => ({
    target: target === '' ? path : normalize(join(dirname(path), target)),
    anchor,
  }));
}

/** As GitHub makes them of headings. */
function anchorsOf(path: string): readonly string[] {
  return headingsOf(path).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Words in backticks that are the name or path of a TypeScript file. */
function filesNamedIn(path: string): readonly string[] {
  const prose = textOf(path).replace(/```[^]*?```/g, '');
  return [...prose.matchAll(/`([\w.\-/]+\.ts)`/g)].map(([, name = '']) => name);
}

test('every link of a document leads to a file and a heading that are there', () => {
  const broken = documents.flatMap((path) =>
    linksOf(path)
      .filter(({ target, anchor }) => !exists(target) || (anchor && !anchorsOf(target).includes(anchor)))
      .map(({ target, anchor }) => `${path}: ${target}#${anchor}`),
  );
  expect(broken).toEqual([]);
});

test('every file that a document names is there', () => {
  const missing = documents.flatMap((path) =>
    filesNamedIn(path)
      .filter((name) => ![name, `shared/${name}`, join(dirname(path), name)].some(exists))
      .filter((name) => name.includes('/') || !names.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('a document says who did what', () => {
  const stiff = /\b(?:is|are|was|were) (?:said|left out)\b|what (?:it|that) came to|came to nothing/g;
  const found = documents.flatMap((path) =>
    [...textOf(path).replace(/\s+/g, ' ').matchAll(stiff)].map(([phrase]) => `${path}: ${phrase}`),
  );
  expect(found).toEqual(['CONTRIBUTING.md: is left out']);
});

test('each line about who is believed names the test that holds it', () => {
  const [, section = ''] = textOf('SECURITY.md').split('\n## Who is believed for what\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const [, , ...lines] = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(lines.length).toBeGreaterThan(15);
  const without = lines.filter((cells) => {
    const named = /^`(test\/[\w./-]+\.test\.ts)`$/.exec(cells.at(-2) ?? '')?.[1];
    return named === undefined || !exists(named);
  });
  expect(without.map((cells) => cells.slice(1, 3).join(': '))).toEqual([]);
});

test('each issue of OCCM is in the name of a test', () => {
  const [, section = ''] = textOf('docs/migration.md').split('\n## Issues of OCCM\n');
  const issues = [...section.matchAll(/#\d+/g)].map(([number]) => number);
  expect(issues.length).toBeGreaterThan(30);
  const titles = sources
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...textOf(file).matchAll(/\btest\(\s*'([^']+)'/g)].map(([, title]) => title))
    .join('\n');
  expect(issues.filter((number) => !new RegExp(`${number}\\b`).test(titles))).toEqual([]);
});

test('every path of the project that a comment or a document names is there', () => {
  const path =
    /(?<![\w/.{}@-])(?:shared|functions|infra|test|docs|examples)\/[\w\-/]+(?:\.[\w-]+)*(?![\w*<{$/])/g;
  const missing = [...documents, ...sources].flatMap((from) =>
    [...textOf(from).matchAll(path)]
      .map(([name]) => name)
      .filter((name) => /\.(ts|md|yaml|yml|json|sh|py)$/.test(name) && !exists(name))
      .map((name) => `${from}: ${name}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('every decision that is named by its number is there', () => {
  const decided = new Set([...textOf('docs/decisions.md').matchAll(/^\*\*(\d+)\./gm)].map(([, n]) => n));
  const missing = [...documents, ...sources].flatMap((from) =>
    [...onOneLine(textOf(from)).matchAll(/\bdecisions? (\d+(?:(?:, | and )\d+\b(?!\.))*)/g)]
      .flatMap(([, numbers = '']) => numbers.split(/, | and /))
      .filter((number) => !decided.has(number))
      .map((number) => `${from}: ${number}`),
  );
  expect(missing).toEqual([]);
});

/** `docs/sources/kubernetes.md, "Stable node set"`: a document by its path, or its name alone, and the title of a section. */
const CITATION = /((?:[\w-]+\/)*[\w.-]+\.md), "([^"]+)"/g;

const citations = [...documents, ...sources].flatMap((from) =>
  [...onOneLine(textOf(from)).matchAll(CITATION)].map(([, name = '', title = '']) => {
    const path = [name, `docs/${name}`, `docs/sources/${name}`].find(exists);
    return { from, name, path, title };
  }),
);

/** Comments as if their lines did not end. */
function onOneLine(text: string): string {
  return text.replace(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');
}

function headingsOf(path: string): readonly string[] {
  return [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

test('every section of a document that is cited by its title is there', () => {
  const missing = citations.filter(({ path, title }) => !path || !headingsOf(path).includes(title));
  expect(missing.map(({ from, name, title }) => `${from}: ${name}, "${title}"`)).toEqual([]);
});

test('the sources have only what is cited', () => {
  const cited = new Set(citations.map(({ path, title }) => `${path ?? ''}, "${title}"`));
  const all = filesOf('docs/sources/*.md').flatMap((path) =>
    headingsOf(path)
      .slice(1)
      .map((title) => `${path}, "${title}"`),
  );
  expect(all.filter((section) => !cited.has(section))).toEqual([]);
});
