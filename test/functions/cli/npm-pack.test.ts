/** `npm pack`, and what somebody has who installs the file. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, writeManifest } from '../../../build.ts';
import type { Sbom } from '../../../infra/image/sbom.ts';
import { ROOT, textOf } from '../../repo/files.ts';
import { aService, sandboxWorld } from '../sandbox-world.ts';

const run = promisify(execFile);
const { name, version } = JSON.parse(textOf('package.json')) as { name: string; version: string };

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

let directory: string;
let installed: string;
let packed: { readonly size: number; readonly files: readonly { readonly path: string }[] };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-pack-'));
  const [source, target] = [join(directory, 'source'), join(directory, 'target')];
  await Promise.all([mkdir(source), mkdir(target)]);
  await buildProgram(join(source, 'dist'));
  await writeManifest(source);
  for (const file of ['README.md', 'LICENSE']) await copyFile(join(ROOT, file), join(source, file));
  const pack = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
    cwd: source,
  });
  const [made] = JSON.parse(pack.stdout) as [typeof packed & { readonly filename: string }];
  packed = made;
  // offline: whatever it needed beside itself would be missed
  const file = join(directory, made.filename);
  await run('npm', ['install', '--prefix', target, '--omit=dev', '--offline', file], { cwd: target });
  installed = join(target, 'node_modules');
}, 60_000);
afterAll(() => rm(directory, { recursive: true }));

const levelset = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
  (await run(join(installed, '.bin/levelset'), args, { env: { ...process.env, ...env } })).stdout.trim();

test('is one package of a few megabytes with the program, the list of what is in it and the licence, for the Node that it is built for', async () => {
  const { packages } = JSON.parse(await readFile(join(installed, '.package-lock.json'), 'utf8')) as Lock;
  expect(Object.keys(packages)).toEqual([`node_modules/${name}`]);
  expect(packed.size).toBeLessThan(2_000_000);
  const others = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/chunks\/[\w-]+-[A-Z0-9]{8}\.mjs$/.test(path));
  const files = ['LICENSE', 'README.md', 'dist/levelset.mjs', 'dist/sbom.cdx.json', 'package.json'];
  expect(others.toSorted()).toEqual(files);
  expect((await stat(join(installed, name, 'dist/levelset.mjs'))).mode & 0o111).toBe(0o111);
  const manifest = JSON.parse(await readFile(join(installed, name, 'package.json'), 'utf8')) as unknown;
  expect(manifest).toMatchObject({ name, engines: { node: '>=24' } });
  expect(manifest).not.toHaveProperty('optionalDependencies');
  // a checkout brings that along
  expect(JSON.parse(textOf('package.json'))).toMatchObject({ engines: { node: '>=20' } });
});

test('says its version, and plans', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.kube.apply(aService('web'));
  expect(await levelset(['version'])).toContain(version);
  expect(await levelset(['plan'], env)).toContain('default/web: 2 to create');
});

test('lists every package that is bundled, with the hash of the lock', async () => {
  const sbom = JSON.parse(await readFile(join(installed, name, 'dist/sbom.cdx.json'), 'utf8')) as Sbom;
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } });
  const { packages } = JSON.parse(textOf('package-lock.json')) as Lock;
  const { version: locked = '', integrity = '' } = packages['node_modules/got'] ?? {};
  const content = Buffer.from(integrity.slice(7), 'base64').toString('hex');
  const got = { purl: `pkg:npm/got@${locked}`, hashes: [{ alg: 'SHA-512', content }] };
  expect(sbom.components.find((one) => one.name === 'got')).toMatchObject(got);
  const names = sbom.components.map((one) => one.name);
  expect(names).toEqual(expect.arrayContaining(['express', 'commander', '@kubernetes/client-node', 'yaml']));
  for (const absent of ['esbuild', 'vitest', 'serverless', 'typescript', 'oxlint'])
    expect(names).not.toContain(absent);
  expect(sbom.components.filter((one) => one.hashes === undefined || one.licenses === undefined)).toEqual([]);
});
