/** The image: what is in it, and levelset in a container of it, confined as the manifests confine it. */
import { randomBytes } from 'node:crypto';
import { chown, copyFile, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildImage,
  describeImage,
  IMAGE,
  storageOptions,
  type Image,
} from '../../../infra/image/build-image.ts';
import {
  addressOf,
  apply,
  askHttp,
  aService,
  lab,
  removeServices,
  startLevelset,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { must } from '../lab/run.ts';

const world = labWorld({ nodes: ['e2e-image-1'], levelsetByTest: true });

/** Every file of the image is one of these. */
const KINDS = {
  Node: /^nodejs\/(bin\/node|LICENSE)$/,
  'the program': /^app\/(levelset\.mjs|chunks\/[\w-]+-[A-Z0-9]{8}\.mjs|sbom\.cdx\.json|LICENSE)$/,
  'a library': /^(lib|lib64|usr\/lib)\/.*\.so(\.[\d.]+)?$/,
  'a licence': /^usr\/share\/(doc\/[^/]+\/copyright|common-licenses\/[^/]+)$/,
  'the authorities': /^etc\/ssl\/certs\/ca-certificates\.crt$/,
  'a name': /^(etc\/(passwd|group|nsswitch\.conf|os-release|debian_version)|usr\/lib\/os-release)$/,
  'a package': /^var\/lib\/dpkg\/status\.d\/[a-z0-9+.-]+$/,
};
const NOBODY = 65_532;
const MEMORY = 256 * 1024 * 1024;

let directory: string;
let image: Image;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-image-test-'));
  image = await buildImage(join(directory, 'first'), 'amd64');
  console.log(describeImage(image));
});
afterAll(() => rm(directory, { recursive: true }));

const podman = (...args: readonly string[]): readonly string[] => [
  ...[
    'podman',
    ...storageOptions(join(directory, 'first')),
    '--runtime',
    'runc',
    '--cgroup-manager',
    'cgroupfs',
  ],
  ...args,
];
/** Both limits, since the usual ones are more than a container that runs the tests may set. */
const CONFINED = [
  ...['--pull', 'never', '--read-only', '--read-only-tmpfs=false', '--cap-drop', 'all'],
  ...[
    '--security-opt',
    'no-new-privileges',
    '--memory',
    String(MEMORY),
    '--network',
    'host',
    '--log-driver',
    'none',
  ],
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'],
];

it('is the same to the byte when it is built again', async () => {
  const again = await buildImage(join(directory, 'second'), 'amd64');
  expect(again.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(again.digest).toBe(image.digest);
});

it('has Node, the program, its libraries and licences, and nothing else, such as a shell', () => {
  const others = image.files.filter(({ path }) => !Object.values(KINDS).some((kind) => kind.test(path)));
  expect(others).toEqual([]);
  for (const [name, kind] of Object.entries(KINDS))
    expect(image.files.filter(({ path }) => kind.test(path)).length, name).toBeGreaterThan(0);
  expect(image.files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(150_000_000);
  expect(image.files.length).toBeLessThan(200);
});

it('says what is in it: packages that are bundled, Node, and packages of Debian', async () => {
  const program = JSON.parse(
    await readFile(join(lab().repository, 'dist/sbom.cdx.json'), 'utf8'),
  ) as Image['sbom'];
  const purls = image.sbom.components.map(({ purl }) => purl);
  const debian = purls.filter((purl) => purl.startsWith('pkg:deb/debian/'));
  const libraries = image.files.filter(({ path }) => KINDS['a library'].test(path));
  const sums = await Promise.all(
    image.files
      .filter(({ path }) => path.endsWith('.md5sums'))
      .map(({ path }) => readFile(join(image.root, path), 'utf8')),
  );
  console.log(`SBOM: ${program.components.length} packages of npm, Node, ${debian.join(', ')}`);

  expect(new Set(purls).size).toBe(purls.length);
  expect(purls.filter((purl) => purl.startsWith('pkg:npm/')).toSorted()).toEqual(
    [program.metadata.component, ...program.components].map(({ purl }) => purl).toSorted(),
  );
  expect(purls).toContain(`pkg:generic/node@${process.versions.node}`);
  // symlinks have no sums
  expect(libraries.length).toBeGreaterThan(20);
  expect(
    sums
      .join('')
      .split('\n')
      .filter((line) => line.includes('.so')).length,
  ).toBeGreaterThan(15);
  expect(
    debian.map((purl) => /debian\/([^@]+)@.+\?arch=(amd64|all)&distro=debian-12/.exec(purl)?.[1]),
  ).toEqual(['base-files', 'ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc%2B%2B6']);
});

it('is made for arm64 on another machine', async () => {
  const storage = join(directory, 'arm64');
  const other = await buildImage(storage, 'arm64');
  const architecture = ['inspect', '--type', 'image', '--format', '{{.OCIv1.Architecture}}', IMAGE];
  expect(await must('buildah', [...storageOptions(storage), ...architecture])).toBe('arm64');
  const programs = other.files.filter(({ path }) => KINDS.Node.test(path) || KINDS['a library'].test(path));
  expect(programs.length).toBeGreaterThan(20);
  const machines = await Promise.all(programs.map(({ path }) => machineOf(join(other.root, path))));
  expect(new Set(machines.filter((machine) => machine !== undefined))).toEqual(new Set([0xb7]));
});

it('gives a Service its load balancer and takes it away, confined, and ends at SIGTERM', async () => {
  const name = `levelset-${randomBytes(4).toString('hex')}`;
  const files = await filesFor(NOBODY);
  const began = performance.now();
  const levelset = await startLevelset({
    program: podman(
      ...['run', '--rm', '--name', name, ...CONFINED, '--volume', `${files}:/etc/levelset:ro`],
      ...['--env', 'LEVELSET_AUDIT_TOKENS', '--env', 'LEVELSET_RESYNC_TOKENS', IMAGE],
    ),
    kubeconfig: '/etc/levelset/kubeconfig',
    cloudConfig: '/etc/levelset/cloud.conf',
    // its own port and watches: whoever has the webhook's port is not asked in its place
    listen: '127.0.0.1:18091',
    args: [
      '--watch',
      '--tls-cert-file',
      '/etc/levelset/tls.crt',
      '--tls-private-key-file',
      '/etc/levelset/tls.key',
    ],
  });
  const ready = performance.now() - began;
  const [command = '', ...inspect] = podman('inspect', '--format', '{{.State.Pid}}', name);
  const proc = `/proc/${await must(command, inspect)}`;
  const field = async (key: string): Promise<string | undefined> =>
    new RegExp(`^${key}:\\s+(.*)$`, 'm').exec(await readFile(`${proc}/status`, 'utf8'))?.[1];

  expect((await field('Uid'))?.split('\t')).toEqual(Array(4).fill(String(NOBODY)));
  expect([await field('CapEff'), await field('CapBnd')]).toEqual(Array(2).fill('0'.repeat(16)));
  expect(await field('NoNewPrivs')).toBe('1');
  expect(await readFile(`${proc}/mountinfo`, 'utf8')).toMatch(/^\S+ \S+ \S+ \S+ \/ ro,/m);
  expect(await memoryLimit(proc)).toBe(MEMORY);

  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  const address = await addressOf(world.namespace, 'web');
  await until('an answer', async () => (await askHttp(`http://${address}/`)).ok);
  const served = performance.now() - began - ready;
  await removeServices(world.namespace, ['web']);
  const memory = await field('VmHWM');
  const ending = performance.now();
  expect(await levelset.stop()).toBe(0);
  console.log(
    `ready after ${ready.toFixed(0)} ms, an answer ${served.toFixed(0)} ms later; at most ${memory}; ` +
      `SIGTERM to the end ${(performance.now() - ending).toFixed(0)} ms`,
  );
});

/** A folder with what levelset reads, for that user alone. */
async function filesFor(user: number): Promise<string> {
  const { levelsetKubeconfig, cloudConfig, tls } = lab();
  const folder = join(directory, 'files');
  await mkdir(folder);
  const sources = {
    kubeconfig: levelsetKubeconfig,
    'cloud.conf': cloudConfig,
    'tls.crt': tls.cert,
    'tls.key': tls.key,
  };
  for (const [name, source] of Object.entries(sources)) {
    await copyFile(source, join(folder, name));
    await chown(join(folder, name), user, user);
  }
  return folder;
}

/** e_machine of an ELF file; undefined for another one, and for a link. */
async function machineOf(path: string): Promise<number | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0);
  await file.close();
  return buffer.toString('latin1', 0, 4) === '\x7fELF' ? buffer.readUInt16LE(18) : undefined;
}

/** Of the cgroup that a process is in, version 1 or 2. */
async function memoryLimit(proc: string): Promise<number> {
  const lines = (await readFile(`${proc}/cgroup`, 'utf8')).trim().split('\n');
  const of = (controller: string): string | undefined =>
    lines.map((line) => line.split(':')).find(([, name]) => name === controller)?.[2];
  const [v1, v2] = [of('memory'), of('')];
  const files = [`/sys/fs/cgroup/memory${v1}/memory.limit_in_bytes`, `/sys/fs/cgroup${v2}/memory.max`];
  const [found] = (
    await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => undefined)))
  ).filter((text) => text !== undefined);
  return Number(found);
}
