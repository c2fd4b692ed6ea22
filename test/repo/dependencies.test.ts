import { expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Package {
  readonly name: string;
  readonly private: boolean;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const root = JSON.parse(textOf('package.json')) as Package;

test('every dependency has one version', () => {
  const exact = /^(npm:[@a-z0-9/-]+@)?\d+\.\d+\.\d+$|^file:infra\/node$/;
  expect(Object.entries(root.devDependencies).filter(([, version]) => !exact.test(version))).toEqual([]);
});

test('who installs the program installs nothing else: what it needs is bundled, so it stands in devDependencies', () => {
  expect(root).not.toHaveProperty('dependencies');
  expect(root).not.toHaveProperty('optionalDependencies');
});

test('the package has a scope, and no registry takes it by mistake', () => {
  expect(root.name).toMatch(/^@[a-z-]+\//);
  expect(root.private).toBe(true);
});

test('the lock has a hash of every package', () => {
  const lock = textOf('package-lock.json');
  expect(lock.match(/"integrity": "sha512-/g)?.length).toBeGreaterThan(100);
});
