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

test('is one package of a few megabytes', async () => {
  const lock = JSON.parse(await readFile(join(installed, '.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  expect(Object.keys(lock.packages)).toEqual([`node_modules/${name}`]);
  expect(packed.size).toBeLessThan(2_000_000);
});

test('has the program, the list of what is in it, the licence, and nothing else', async () => {
  const others = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^dist\/chunks\/[\w-]+-[A-Z0-9]{8}\.mjs$/.test(path));
  expect(others.toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/levelset.mjs',
    'dist/sbom.cdx.json',
    'package.json',
  ]);
  expect((await stat(join(installed, name, 'dist/levelset.mjs'))).mode & 0o111).toBe(0o111);
});

test('asks for the Node that the program is built for; a checkout brings that along and starts on Node 20', async () => {
  const manifest = JSON.parse(await readFile(join(installed, name, 'package.json'), 'utf8')) as unknown;
  expect(manifest).toMatchObject({ name, engines: { node: '>=24' } });
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
  const lock = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const got = lock.packages['node_modules/got'];
  expect(sbom.components.find((one) => one.name === 'got')).toMatchObject({
    purl: `pkg:npm/got@${got?.version}`,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(got?.integrity.slice(7) ?? '', 'base64').toString('hex') },
    ],
  });
  const names = sbom.components.map((one) => one.name);
  expect(names).toEqual(expect.arrayContaining(['express', 'commander', '@kubernetes/client-node', 'yaml']));
  for (const absent of ['esbuild', 'vitest', 'serverless', 'typescript', 'oxlint'])
    expect(names).not.toContain(absent);
  expect(sbom.components.filter((one) => one.hashes === undefined || one.licenses === undefined)).toEqual([]);
});
