import { expect, test } from 'vitest';
import { codeOf, filesOf, importsOf, partOf } from './files.ts';
import type { Import } from './files.ts';

/** The pages of one kind of unit: they put the stages in order, and know nothing of each other. */
const UNIT = ['model', 'config', 'ports.ts', 'observe', 'desired', 'plan', 'apply', 'report', 'unit.ts'];

/**
 * docs/design.md, "What may import what", for the tree as it is: folders are stages, units or outside systems, and the root of
 * shared/ holds what all units have in common. Report may know what a look found, and is told in the words of the plan and of
 * what was desired.
 */
const MAY: Readonly<Record<string, readonly string[]>> = {
  model: [],
  trigger: ['model', 'config'],
  desired: ['model', 'config'],
  plan: ['model', 'config'],
  observe: ['model', 'ports.ts'],
  apply: ['model', 'ports.ts'],
  report: ['model', 'ports.ts', 'apply', 'desired', 'plan', 'service', 'node'],
  config: ['model'],
  kube: ['model', 'config', 'ports.ts'],
  openstack: ['model', 'config', 'ports.ts'],
  queue: ['model', 'config', 'ports.ts'],
  'ports.ts': ['model', 'config'],
  'unit.ts': ['model', 'config'],
  service: UNIT,
  node: UNIT,
  routes: UNIT,
  'reconcile.ts': ['model', 'ports.ts', 'report', 'service', 'node', 'routes', 'unit.ts'],
  'sweep.ts': ['model', 'ports.ts', 'service', 'node', 'routes', 'unit.ts'],
};

/** Packages, by the part that may load them; types cost nothing and are free. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  model: ['node:crypto', 'node:net'],
  trigger: ['node:crypto'],
  desired: ['node:net'],
  plan: [],
  observe: [],
  apply: [],
  report: [],
};

const shared = filesOf('shared/**/*.ts').filter((path) => !path.includes('/generate-'));
const imports = shared.flatMap(importsOf);
const isOwn = ({ target }: Import): boolean => /^(shared|functions|infra|test|docs)\//.test(target);
const inWords = (found: readonly Import[]): readonly string[] =>
  found.map(({ from, target }) => `${from} imports ${target}`);

test('every part of shared/ has its row', () => {
  expect([...new Set(shared.map(partOf))].filter((part) => MAY[part] === undefined)).toEqual([]);
});

test('each part imports only the parts in its row', () => {
  const wrong = imports.filter(isOwn).filter(({ from, target }) => {
    const [part, other] = [partOf(from), partOf(target)];
    return !target.startsWith('shared/') || (part !== other && !MAY[part]?.includes(other));
  });
  expect(inWords(wrong)).toEqual([]);
});

test('the pure parts, the ports and units know the configuration by its types alone', () => {
  const wrong = imports.filter(
    ({ from, target, type }) =>
      partOf(target) === 'config' &&
      !type &&
      ['trigger', 'desired', 'plan', 'ports.ts', 'unit.ts'].includes(partOf(from)),
  );
  expect(inWords(wrong)).toEqual([]);
});

test('the stages and the tables load no package but those named here', () => {
  const wrong = imports.filter((one) => {
    const allowed = PACKAGES[partOf(one.from)];
    return allowed && !isOwn(one) && !one.type && !allowed.includes(one.target);
  });
  expect(inWords(wrong)).toEqual([]);
});

test.each(['model', 'trigger', 'desired', 'plan'])(
  '%s reads no clock, draws no lots and waits for nothing',
  (part) => {
    const impure = /\b(Date|process|Math\.random|setTimeout|setInterval|async|await|Promise|fetch|console)\b/;
    const lines = shared
      .filter((path) => partOf(path) === part && path.endsWith('.ts'))
      .flatMap((path) =>
        codeOf(path)
          .split('\n')
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line}`),
      );
    expect(lines).toEqual([]);
  },
);

test('only world.ts connects to Kubernetes and OpenStack', () => {
  const connecting = filesOf('functions/**/*.ts')
    .flatMap(importsOf)
    .filter(
      ({ target, type }) =>
        !type && ['kube', 'openstack'].includes(partOf(target)) && target.startsWith('shared/'),
    );
  expect([...new Set(connecting.map(({ from }) => from))]).toEqual(['functions/world.ts']);
});

test('the simulators share nothing with what they are used to judge', () => {
  const wrong = filesOf('infra/sandbox/**/*.ts')
    .flatMap(importsOf)
    .filter(({ target }) => !target.startsWith('infra/sandbox/') && !target.startsWith('node:'));
  expect(inWords(wrong)).toEqual([]);
});

test('no files import each other in a circle, not even for types', () => {
  const open = new Map([...shared, ...filesOf('functions/**/*.ts')].map((path) => [path, importsOf(path)]));
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [path, its] of open) {
      if (its.every(({ target }) => !open.has(target))) open.delete(path);
    }
  }
  expect([...open.keys()]).toEqual([]);
});
