import { expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

test('every dependency has one version', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Package;
  const exact = /^(npm:[@a-z0-9/-]+@)?\d+\.\d+\.\d+$/;
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !exact.test(version),
  );
  expect(loose).toEqual([]);
});

test('the lock names no host, so that every registry can serve it', () => {
  const lock = textOf('package-lock.json');
  expect(lock).not.toContain('"resolved"');
  expect(lock.match(/"integrity": "sha512-/g)?.length).toBeGreaterThan(100);
});
