import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installNode } from './node-binary.ts';
import { CACHE, run, type Architecture } from './run.ts';

/** What Node is linked with, the authorities of Mozilla, and what says which distribution this is. */
const PACKAGES = ['base-files', 'ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'];
/** Of their files: libraries, licences, the distribution's name. No program among them. */
const WANTED = [
  /^(lib|lib64|usr\/lib)\/.*\.so(\.[\d.]+)?$/,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
  /^usr\/share\/common-licenses\//,
  /^(etc|usr\/lib)\/os-release$/,
  /^etc\/debian_version$/,
];
const NOT_WANTED = /\/(gconv|audit)\//;
const WRITTEN = {
  'etc/passwd':
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnonroot:x:65532:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};
const LISTS_ARE_OLD_AFTER_MS = 24 * 60 * 60_000;

/**
 * Fills `root` with what distroless/nodejs24-debian12 is made of, for machines that reach no registry of images: Node of
 * package-lock.json and the libraries it needs, from this machine's Debian 12 mirror. `var/lib/dpkg/status.d` says which
 * packages, as scanners expect it of images without a package manager.
 */
export async function makeDebianBase(architecture: Architecture, root: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'levelset-base-'));
  try {
    const packages = await downloadPackages(architecture);
    const status = join(root, 'var/lib/dpkg/status.d');
    await mkdir(status, { recursive: true });
    for (const [name, file] of packages) {
      const content = join(scratch, name);
      await run('dpkg-deb', ['--extract', file, content]);
      const kept = await copyWanted(content, root);
      await writeFile(join(status, name), `${await run('dpkg-deb', ['--field', file])}\n`);
      await writeFile(join(status, `${name}.md5sums`), await sumsOf(file, kept));
    }
    await writeAuthorities(join(scratch, 'ca-certificates/usr/share/ca-certificates/mozilla'), root);
  } finally {
    await rm(scratch, { recursive: true });
  }
  for (const [path, text] of Object.entries(WRITTEN)) await writeFile(join(root, path), text);
  for (const folder of ['dev', 'proc', 'run', 'sys', 'home/nonroot'])
    await mkdir(join(root, folder), { recursive: true });
  await mkdir(join(root, 'tmp'), { mode: 0o1777 });
  await installNode(architecture, join(root, 'nodejs'), CACHE);
}

/** The newest of each package, with apt's own check of its signature; name to file. */
async function downloadPackages(architecture: Architecture): Promise<ReadonlyMap<string, string>> {
  const folder = join(CACHE, `debian-12-${architecture}`);
  const state = join(folder, 'apt');
  for (const path of ['lists/partial', 'archives/partial'])
    await mkdir(join(state, path), { recursive: true });
  await writeFile(join(state, 'status'), '', { flag: 'a' });
  const options = Object.entries({
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '3',
    'Acquire::Languages': 'none',
    'Dir::State': state,
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': state,
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const stamp = join(state, 'updated');
  const updated = await stat(stamp).catch(() => undefined);
  if (!updated || Date.now() - updated.mtimeMs > LISTS_ARE_OLD_AFTER_MS) {
    await run('apt-get', [...options, 'update']);
    await writeFile(stamp, '');
    await utimes(stamp, new Date(), new Date());
  }
  const uris = await run('apt-get', [...options, 'download', '--print-uris', ...PACKAGES]);
  await run('apt-get', [...options, 'download', ...PACKAGES], folder);
  const files = uris.matchAll(/^'[^']+' (([a-z0-9+.-]+)_\S+\.deb) /gm);
  return new Map([...files].map(([, file = '', name = '']) => [name, join(folder, file)]));
}

/** The paths that are wanted. */
async function copyWanted(from: string, to: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(from, { recursive: true });
  const wanted = entries.filter(
    (path) => WANTED.some((pattern) => pattern.test(path)) && !NOT_WANTED.test(path),
  );
  const files: string[] = [];
  for (const path of wanted) {
    if ((await lstat(join(from, path))).isDirectory()) continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await cp(join(from, path), join(to, path), { verbatimSymlinks: true });
    files.push(path);
  }
  return new Set(files);
}

/** The lines of the package's md5sums about files that are kept. */
async function sumsOf(file: string, kept: ReadonlySet<string>): Promise<string> {
  const sums = await run('dpkg-deb', ['--info', file, 'md5sums']);
  return sums
    .split('\n')
    .filter((line) => kept.has(line.slice(34)))
    .map((line) => `${line}\n`)
    .join('');
}

/** What update-ca-certificates makes, for OpenSSL's usual path: Node has the same authorities in its binary. */
async function writeAuthorities(folder: string, root: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.crt')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}
