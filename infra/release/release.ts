/**
 * `npm run release`: everything that a version is made of, below dist/release: the npm tarball, the chart, the functions' zips, the
 * image as an OCI archive, the lists of what is in them (CycloneDX), and SHA256SUMS. `--check` makes it twice and compares: the same
 * commit gives the same bytes. Where infra/image/build-image.ts cannot run, it says that the image is left out.
 */
import { createHash } from 'node:crypto';
import { cp, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll, FUNCTIONS, SBOM, writeManifest } from '../../build.ts';
import { buildImage, IMAGE, storageOptions } from '../image/build-image.ts';
import { ROOT, run } from '../image/run.ts';

const SUMS = 'SHA256SUMS';
const ARCHITECTURE = 'amd64';
const DIST = join(ROOT, 'dist');

/** What needs neither root nor buildah. Returns the version. */
export async function releaseFiles(to: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  await inScratch(async (scratch) => {
    const dist = join(scratch, 'dist');
    await buildAll(dist);
    await writeManifest(scratch);
    for (const file of ['README.md', 'LICENSE']) await copyFile(join(ROOT, file), join(scratch, file));
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], scratch);
    await copyFile(join(dist, SBOM), join(to, `levelset-${version}.sbom.json`));
    for (const name of FUNCTIONS)
      await copyFile(
        join(dist, `functions/${name}.zip`),
        join(to, `levelset-function-${name}-${version}.zip`),
      );
    await cp(join(ROOT, 'infra/charts/levelset'), join(scratch, 'levelset'), { recursive: true });
    await archive(join(to, `levelset-chart-${version}.tgz`), scratch, ['--gzip', 'levelset']);
  });
  return version;
}

/** The image and the list of what is in it. */
async function releaseImage(to: string, version: string): Promise<void> {
  await inScratch(async (scratch) => {
    const storage = join(scratch, 'storage');
    const { sbom } = await buildImage(storage, ARCHITECTURE);
    const layout = join(scratch, 'layout');
    await run('buildah', [...storageOptions(storage), 'push', '--quiet', IMAGE, `oci:${layout}:levelset`]);
    const name = join(to, `levelset-image-${version}-${ARCHITECTURE}`);
    await archive(`${name}.tar`, layout, await readdir(layout));
    await writeFile(`${name}.sbom.json`, `${JSON.stringify(sbom, null, 2)}\n`);
  });
}

/** The sums of all files in a folder, as sha256sum prints them. */
export async function sumsOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name !== SUMS).sort();
  const lines = names.map(async (name) => {
    const sum = createHash('sha256').update(await readFile(join(folder, name)));
    return `${sum.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/** A tar archive that is the same for the same files, whoever has them since when. */
async function archive(file: string, folder: string, what: readonly string[]): Promise<void> {
  const same = ['--sort=name', '--format=ustar', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', [...same, '--mode=u=rwX,go=rX', '-C', folder, '-cf', file, ...what]);
}

/** Below the clone, since source maps name the way from there to the sources: so clones in other folders make the same bytes. */
async function inScratch(work: (scratch: string) => Promise<void>): Promise<void> {
  await mkdir(DIST, { recursive: true });
  const scratch = await mkdtemp(join(DIST, 'release-'));
  try {
    await work(scratch);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Why there can be no image here, and what to do. */
export async function imageLeftOut(): Promise<string | undefined> {
  const why = await run('buildah', ['--version']).then(
    () => (process.getuid?.() === 0 ? undefined : 'the base is made as root'),
    () => 'there is no buildah',
  );
  return why && `left out, since ${why}: the image and its SBOM; infra/image/README.md says what they need`;
}

async function release(to: string): Promise<string> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const version = await releaseFiles(to);
  if ((await imageLeftOut()) === undefined) await releaseImage(to, version);
  const sums = await sumsOf(to);
  await writeFile(join(to, SUMS), sums);
  return sums;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== '--check')) {
    console.error('usage: npm run release [-- --check]');
    return 2;
  }
  const changed = await run('git', ['status', '--porcelain']);
  if (changed !== '') {
    console.error(
      `a release is made of a commit, and these files are of none: commit or stash them\n${changed}`,
    );
    return 1;
  }
  const to = join(DIST, 'release');
  const sums = await release(to);
  console.log(sums.trimEnd());
  const without = await imageLeftOut();
  if (without !== undefined) console.error(without);
  if (!args.includes('--check')) return 0;
  let again = '';
  await inScratch(async (scratch) => {
    again = await release(join(scratch, 'again'));
  });
  console.log(again === sums ? 'a second run has the same sums' : `a second run differs:\n${again}`);
  return again === sums ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
