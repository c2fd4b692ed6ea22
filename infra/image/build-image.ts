/**
 * `node infra/image/build-image.ts FILE [amd64|arm64]`: the image of Dockerfile as an OCI archive, where there is neither a Docker
 * daemon nor a registry: by buildah, on a base made of Debian packages. FILE.sbom.json beside it says what is in it.
 */
import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildProgram } from '../../build.ts';
import { makeDebianBase } from './debian-base.ts';
import { imageSbom } from './image-sbom.ts';
import { ROOT, run, type Architecture } from './run.ts';
import type { Sbom } from './sbom.ts';

export const IMAGE = 'localhost/levelset:latest';
const BASE = 'localhost/levelset-base:latest';
const FOLDER = 'infra/image';

export interface Image {
  /** Of its manifest in the storage. The same sources give the same one. */
  readonly digest: string;
  /** Where its files are, in the storage. */
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly sbom: Sbom;
}

/** Where buildah and podman keep images, below a folder of the caller's. */
export function storageOptions(storage: string): readonly string[] {
  return ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs'];
}

/** Builds IMAGE into `storage`. */
export async function buildImage(storage: string, architecture: Architecture): Promise<Image> {
  const buildah = (...args: readonly string[]): Promise<string> =>
    run('buildah', [...storageOptions(storage), ...args]);
  const scratch = await mkdtemp(join(tmpdir(), 'levelset-image-'));
  try {
    const [context, base] = [join(scratch, 'context'), join(scratch, 'base')];
    await Promise.all([mkdir(context), mkdir(base)]);
    await buildProgram(join(context, 'dist'));
    await copyFile(join(ROOT, 'LICENSE'), join(context, 'LICENSE'));
    await makeDebianBase(architecture, base);
    await writeFile(join(scratch, 'base.Dockerfile'), 'FROM scratch\nCOPY . /\n');
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const date = process.env['SOURCE_DATE_EPOCH'] ?? (await run('git', ['log', '-1', '--format=%ct']));
    const build = ['build', '--isolation', 'chroot', '--layers=false', '--quiet', '--pull-never'];
    const same = ['--timestamp', date, '--platform', `linux/${architecture}`];
    await buildah(...build, ...same, '--file', join(scratch, 'base.Dockerfile'), '--tag', BASE, base);
    await buildah(
      ...[...build, ...same, '--file', join(ROOT, FOLDER, 'Dockerfile'), '--tag', IMAGE],
      ...['--ignorefile', join(ROOT, FOLDER, 'Dockerfile.dockerignore'), '--build-arg', `BASE_IMAGE=${BASE}`],
      ...['--build-arg', `VERSION=${version}`],
      ...['--build-arg', `REVISION=${await run('git', ['rev-parse', 'HEAD'])}`],
      context,
    );
    const digest = await buildah('inspect', '--type', 'image', '--format', '{{.FromImageDigest}}', IMAGE);
    const container = await buildah('from', '--pull-never', IMAGE);
    const root = await buildah('mount', container);
    return { digest, root, files: await filesBelow(root), sbom: await imageSbom(root, architecture) };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function filesBelow(root: string): Promise<Image['files']> {
  const paths = (await readdir(root, { recursive: true })).sort();
  const files: { path: string; bytes: number }[] = [];
  for (const path of paths) {
    const stats = await lstat(join(root, path));
    if (!stats.isDirectory()) files.push({ path, bytes: stats.size });
  }
  return files;
}

/** One line for each folder that has files, and the sum. */
export function describeImage({ digest, files, sbom }: Image): string {
  const folders = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 3).join('/'));
  const megabytes = (some: Image['files']): string =>
    `${(some.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(2).padStart(8)} MB`;
  const lines = [...folders].map(([folder, some]) => `${megabytes(some)}  ${folder} (${some.length})`);
  return [
    ...lines,
    `${megabytes(files)}  ${files.length} files, ${sbom.components.length} components`,
    digest,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file, architecture = 'amd64'] = process.argv.slice(2);
  if (file === undefined || (architecture !== 'amd64' && architecture !== 'arm64') || existsSync(file)) {
    console.error('usage: node infra/image/build-image.ts FILE [amd64|arm64]; FILE must not exist');
    process.exit(2);
  }
  const storage = await mkdtemp(join(tmpdir(), 'levelset-storage-'));
  try {
    const image = await buildImage(storage, architecture);
    await run(
      'buildah',
      [...storageOptions(storage), 'push', '--quiet', IMAGE, `oci-archive:${file}:levelset`],
      process.cwd(),
    );
    await writeFile(`${file}.sbom.json`, `${JSON.stringify(image.sbom, null, 2)}\n`);
    console.log(describeImage(image));
  } finally {
    await rm(storage, { recursive: true });
  }
}
