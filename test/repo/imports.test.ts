import { expect, test } from 'vitest';
import { codeOf, filesOf, importsOf, partOf } from './files.ts';
import type { Import } from './files.ts';

/**
 * docs/design.md, "What may import what", for the tree as it is: beside the folders of the stages, the root of shared/
 * holds the pipeline's own files. `look` is the first half of reconcile, so report may know what it found; report is
 * told in the words of the plan and of what was desired.
 */
const MAY: Readonly<Record<string, readonly string[]>> = {
  model: [],
  trigger: ['model', 'config'],
  desired: ['model', 'config'],
  plan: ['model', 'config'],
  observe: ['model', 'ports.ts'],
  apply: ['model', 'ports.ts'],
  report: ['model', 'ports.ts', 'apply', 'desired', 'plan', 'look.ts', 'look-at-node.ts'],
  config: ['model'],
  kube: ['model', 'config', 'ports.ts'],
  openstack: ['model', 'config', 'ports.ts'],
  queue: ['model', 'config', 'ports.ts'],
  'ports.ts': ['model', 'config'],
  'unit.ts': ['model', 'config'],
  'endpoints.ts': ['model', 'ports.ts'],
  'tls-secrets.ts': ['model', 'config', 'ports.ts', 'desired'],
  'orphans.ts': ['model', 'config', 'observe', 'unit.ts'],
  'watermark.ts': ['model', 'apply', 'observe', 'look.ts'],
  'note-writes.ts': ['model', 'ports.ts', 'apply', 'observe', 'look.ts'],
  'desire.ts': ['model', 'config', 'ports.ts', 'observe', 'desired'],
  'plan-unit.ts': ['model', 'ports.ts', 'observe', 'desired', 'plan', 'desire.ts'],
  'look.ts': ['model', 'ports.ts', 'observe', 'desired', 'desire.ts', 'plan-unit.ts'],
  'leases.ts': ['model', 'ports.ts', 'look.ts'],
  'conclude.ts': ['model', 'ports.ts', 'apply', 'report', 'leases.ts', 'look.ts', 'unit.ts', 'watermark.ts'],
  'turns.ts': ['model', 'ports.ts', 'leases.ts'],
  'under-lease.ts': [
    'model',
    'ports.ts',
    'apply',
    'conclude.ts',
    'leases.ts',
    'look.ts',
    'note-writes.ts',
    'turns.ts',
    'unit.ts',
  ],
  'reconcile.ts': [
    'model',
    'ports.ts',
    'report',
    'conclude.ts',
    'endpoints.ts',
    'look.ts',
    'note-writes.ts',
    'reconcile-node.ts',
    'reconcile-routes.ts',
    'tls-secrets.ts',
    'turns.ts',
    'under-lease.ts',
    'unit.ts',
  ],
  'look-at-routes.ts': ['model', 'ports.ts', 'observe', 'desired', 'plan'],
  'write-routes.ts': ['model', 'ports.ts', 'apply', 'look-at-routes.ts'],
  'reconcile-routes.ts': [
    'model',
    'ports.ts',
    'apply',
    'desired',
    'plan',
    'report',
    'conclude.ts',
    'look-at-routes.ts',
    'unit.ts',
    'write-routes.ts',
  ],
  'look-at-cidrs.ts': ['model', 'ports.ts', 'desired'],
  'cidr-reading.ts': ['model', 'ports.ts', 'desired', 'look-at-cidrs.ts'],
  'claim-cidrs.ts': ['model', 'ports.ts', 'desired', 'look-at-cidrs.ts'],
  'look-at-node.ts': ['model', 'ports.ts', 'desired', 'plan', 'look-at-cidrs.ts'],
  'server-reading.ts': ['model', 'ports.ts', 'observe', 'plan', 'cidr-reading.ts', 'look-at-node.ts'],
  'reconcile-node.ts': [
    'model',
    'ports.ts',
    'apply',
    'plan',
    'report',
    'claim-cidrs.ts',
    'conclude.ts',
    'look-at-cidrs.ts',
    'look-at-node.ts',
    'server-reading.ts',
    'unit.ts',
  ],
  'sweep.ts': ['model', 'ports.ts', 'sweep-nodes.ts', 'sweep-routes.ts', 'sweep-services.ts', 'unit.ts'],
  'sweep-routes.ts': ['model', 'ports.ts', 'report', 'look-at-routes.ts'],
  'sweep-nodes.ts': ['model', 'ports.ts', 'report', 'look-at-node.ts', 'server-reading.ts'],
  'sweep-services.ts': [
    'model',
    'ports.ts',
    'observe',
    'desired',
    'report',
    'endpoints.ts',
    'look.ts',
    'orphans.ts',
    'tls-secrets.ts',
    'unit.ts',
  ],
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
