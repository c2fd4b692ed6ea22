import { expect, test } from 'vitest';
import { codeOf, filesOf, importsOf, linesWith, textOf, type Import } from './files.ts';

/**
 * A room is what one row of the table "What may import what" in CONTRIBUTING.md speaks of: a folder or file of shared/, and
 * inside a controller its stages. `<controller>/observe` stands for that stage of each of them.
 */
const CONTROLLERS = ['service', 'node', 'routes'];

function roomOf(path: string): string {
  const [, first = '', second = '', third] = path.split('/');
  if (!CONTROLLERS.includes(first)) return first;
  return third === undefined ? '<controller>' : `<controller>/${second}`;
}

function controllerOf(path: string): string | undefined {
  return CONTROLLERS.find((name) => path.startsWith(`shared/${name}/`));
}

const [, section = ''] = textOf('CONTRIBUTING.md').split('## What may import what');
const LINES = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));

/** Cells name rooms, or packages, in backticks; "types of `config`" is for the test below to see. */
const TABLE = LINES.map((line) => {
  const [, room, imports, packages = ''] = line.split('|');
  return {
    room: quoted(room)[0] ?? '',
    mayImport: quoted(imports),
    packages: packages.trim() === 'any' ? ['any'] : quoted(packages),
    pure: /\bpure\b/.test(packages),
  };
});

function quoted(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

const rowOf = (path: string) => TABLE.find(({ room }) => room === roomOf(path));

const shared = filesOf('shared/**/*.ts').filter((path) => !path.includes('/generate-'));
const imports = shared.flatMap(importsOf);
const isOwn = ({ target }: Import): boolean => /^(shared|functions|infra|test|docs)\//.test(target);
const inWords = (found: readonly Import[]): readonly string[] =>
  found.map(({ from, target }) => `${from} imports ${target}`);

test('every room of shared/ has its row, and every row a room', () => {
  const rooms = [...new Set(shared.map(roomOf))].sort();
  expect(rooms).toEqual(TABLE.map(({ room }) => room).sort());
});

test('each room imports only the rooms in its row', () => {
  const wrong = imports.filter(isOwn).filter(({ from, target }) => {
    const [room, other] = [roomOf(from), roomOf(target)];
    return !target.startsWith('shared/') || (room !== other && !rowOf(from)?.mayImport.includes(other));
  });
  expect(inWords(wrong)).toEqual([]);
});

test('no controller imports another one', () => {
  const wrong = imports.filter(({ from, target }) => {
    const [one, other] = [controllerOf(from), controllerOf(target)];
    return one !== undefined && other !== undefined && one !== other;
  });
  expect(inWords(wrong)).toEqual([]);
});

test('the pure rooms and the ports know the configuration by its types alone', () => {
  const wrong = imports.filter(
    ({ from, target, type }) =>
      roomOf(target) === 'config' && !type && (rowOf(from)?.pure === true || roomOf(from) === 'ports.ts'),
  );
  expect(inWords(wrong)).toEqual([]);
});

test('each room loads no package but those in its row', () => {
  const wrong = imports.filter((one) => {
    const { packages = [] } = rowOf(one.from) ?? {};
    return !isOwn(one) && !one.type && !packages.includes('any') && !packages.includes(one.target);
  });
  expect(inWords(wrong)).toEqual([]);
});

const PURE = TABLE.filter(({ pure }) => pure).map(({ room }) => room);

test.each(PURE)('%s reads no clock, draws no lots and waits for nothing', (room) => {
  const impure = /\b(Date|process|Math\.random|setTimeout|setInterval|async|await|Promise|fetch|console)\b/;
  const files = shared.filter((path) => roomOf(path) === room);
  expect(linesWith(impure, files, codeOf)).toEqual([]);
});

test('only world.ts connects to Kubernetes and OpenStack; source-of.ts to Kubernetes alone', () => {
  const connecting = filesOf('functions/**/*.ts')
    .flatMap(importsOf)
    .filter(({ target, type }) => !type && /^shared\/(kube|openstack)\//.test(target));
  expect([...new Set(connecting.map(({ from }) => from))].sort()).toEqual([
    'functions/clusters/source-of.ts',
    'functions/connect-with-logins.ts',
    'functions/world.ts',
  ]);
  const ofOne = connecting.filter(({ from }) => from.endsWith('/source-of.ts'));
  expect(ofOne.filter(({ target }) => !target.startsWith('shared/kube/'))).toEqual([]);
});

test('the simulators share nothing with what they are used to judge', () => {
  const wrong = filesOf('infra/sandbox/**/*.ts')
    .flatMap(importsOf)
    .filter(({ target }) => !target.startsWith('infra/sandbox/') && !target.startsWith('node:'));
  expect(inWords(wrong)).toEqual([]);
});

test('what says after chaos on the lab what has to be there takes nothing but types from the program', () => {
  const files = filesOf('test/e2e/chaos/*.ts');
  expect(files.length).toBeGreaterThan(8);
  const taken = files.flatMap((path) => [
    ...textOf(path).matchAll(/^import (?!type )[^;]*from '[./]*\/(?:shared|functions)\/[^;]*;$/gm),
  ]);
  expect(taken.map(([line]) => line)).toEqual([]);
});

test('no files import each other in a circle, not even for types', () => {
  const open = new Map(
    [...shared, ...filesOf('{functions,infra}/**/*.ts')].map((path) => [path, importsOf(path)]),
  );
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [path, its] of open) {
      if (its.every(({ target }) => !open.has(target))) open.delete(path);
    }
  }
  expect([...open.keys()]).toEqual([]);
});

test('every name that a file exports is read by another file', () => {
  const readers = Map.groupBy(
    filesOf('{shared,functions,infra,docs,test}/**/*.ts').flatMap(importsOf),
    ({ target }) => target,
  );
  const unread = filesOf('{shared,functions}/**/*.ts').flatMap((path) => {
    const texts = [...new Set(readers.get(path)?.map(({ from }) => from))].map(textOf);
    return [...textOf(path).matchAll(EXPORTED)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'handler') // read by AWS Lambda
      .filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
      .map((name) => `${path}: ${name}`);
  });
  expect(unread).toEqual([]);
});

const EXPORTED = /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

test('one exported name is one thing', () => {
  const places = filesOf('{shared,functions}/**/*.ts').flatMap((path) =>
    [...textOf(path).matchAll(EXPORTED)].map(([, name = '']) => ({ name, path })),
  );
  const twice = [...Map.groupBy(places, ({ name }) => name)].filter(
    ([name, { length }]) => length > 1 && name !== 'handler', // AWS Lambda calls each function's by this name
  );
  expect(twice).toEqual([]);
});
