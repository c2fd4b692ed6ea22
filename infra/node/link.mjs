/**
 * Makes `node` of npm's scripts Node 24, which the package beside this file has brought, whatever Node `npm ci` ran on. npm would link the
 * binary itself, but npm 10 takes that link away with the package of another platform (test/repo/lock.test.ts).
 */
import { existsSync, linkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { platform, arch, version } = process;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const isWindows = platform === 'win32';
const from = join(`node-${isWindows ? 'win' : platform}-${arch}`, 'bin', isWindows ? 'node.exe' : 'node');

if (existsSync(join(modules, from))) {
  // headers for compiling addons, which nothing here does: 67 MB
  rmSync(join(modules, from, '../../include'), { force: true, recursive: true });
  const link = join(modules, '.bin', isWindows ? 'node.exe' : 'node');
  rmSync(link, { force: true });
  if (isWindows) linkSync(join(modules, from), link);
  else symlinkSync(join('..', from), link);
} else if (Number.parseInt(version.slice(1), 10) < 24) {
  console.error(
    `No package has Node 24 for ${platform} on ${arch}, and this is Node ${version}: install Node 24 or later.`,
  );
  process.exitCode = 1;
}
