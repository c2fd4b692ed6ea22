import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmComponent, sbomOf, type LockedPackage, type Sbom } from './sbom.ts';

/** The program with the npm packages of which a file is bundled in it; `files` are paths from `root`, as esbuild names them. */
export function programSbom(files: readonly string[], root: string): Sbom {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const locked = (path: string): LockedPackage => {
    const found = lock.packages[path];
    if (found === undefined) throw new Error(`${path} is bundled and not in package-lock.json: run npm ci`);
    return found;
  };
  const packages = new Set(files.flatMap((file) => folderOf(file) ?? []));
  const { name = '', ...own } = locked('');
  return sbomOf(
    npmComponent(name, own, 'application'),
    [...packages].map((path) => npmComponent(locked(path).name ?? nameIn(path), locked(path))),
  );
}

/** `node_modules/@a/b` or `node_modules/a/node_modules/b` of a file in it. */
function folderOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
