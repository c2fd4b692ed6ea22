import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { imageLeftOut, releaseFiles, sumsOf } from '../../../infra/release/release.ts';
import { filesOf, ROOT, textOf } from '../../repo/files.ts';
import { aFolder } from '../../support/for-one-test.ts';

test('two runs of a release make the same files, to the byte', async () => {
  const [one, other] = [aFolder(), aFolder()];
  const [version] = await Promise.all([one, other].map(releaseFiles));
  expect(await sumsOf(other)).toBe(await sumsOf(one));
  const functions = ['audit', 'events', 'reconcile', 'resync', 'status', 'sweep'];
  expect((await readdir(one)).sort()).toEqual([
    `levelset-${version}.sbom.json`,
    `levelset-chart-${version}.tgz`,
    ...functions.map((name) => `levelset-function-${name}-${version}.zip`),
    `levelset-openstack-levelset-${version}.tgz`,
  ]);
  const utf8 = { encoding: 'utf8' } as const;
  const packed = execFileSync('tar', ['-tzf', join(one, `levelset-chart-${version}.tgz`)], utf8);
  const files = packed.split('\n').filter((name) => name !== '' && !name.endsWith('/'));
  const charted = files.map((name) => `infra/charts/${name}`).sort();
  expect(charted).toEqual([...filesOf('infra/charts/levelset/**/*')]);
  // a clone in another folder makes the same: source maps name no folder above it
  const script =
    'import json, sys, zipfile; zip = zipfile.ZipFile(sys.argv[1]); print(*[path for file in zip.namelist() if file.endswith(".map") for path in json.loads(zip.read(file))["sources"]])';
  const sweep = join(one, `levelset-function-sweep-${version}.zip`);
  const sources = execFileSync('python3', ['-c', script, sweep], utf8).trim().split(' ');
  expect(sources.filter((path) => path.endsWith('shared/service/sweep.ts'))).not.toEqual([]);
  expect(sources.filter((path) => path.split('/').includes(basename(ROOT)))).toEqual([]);
}, 180_000);

test('a release without buildah says that it has no image', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await imageLeftOut()).toBe(
    'left out, since there is no buildah: the image and its SBOM; infra/image/README.md says what they need',
  );
});

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

test('the changelog has the kinds of Keep a Changelog in their order, and the newest version first', () => {
  const [, ...versions] = textOf('CHANGELOG.md').split(/^## /m);
  expect(versions[0]).toMatch(/^\[Unreleased\]\n/);
  for (const text of versions) {
    const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind);
    const others = kinds.filter((kind) => !KINDS.includes(kind));
    expect(kinds).toEqual([...KINDS.filter((kind) => kinds.includes(kind)), ...others]);
  }
});
