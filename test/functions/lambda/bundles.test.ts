import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildAll, FUNCTIONS, type Bundle } from '../../../build.ts';
import { aService, sandboxWorld } from '../sandbox-world.ts';

const run = promisify(execFile);

let directory: string;
let bundles: ReadonlyMap<string, Bundle>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-build-'));
  bundles = new Map((await buildAll(directory)).map((bundle) => [bundle.name, bundle]));
}, 60_000);
afterAll(() => rm(directory, { recursive: true }));

function bundle(name: string): Bundle {
  const found = bundles.get(name);
  if (!found) throw new Error(`no bundle ${name}`);
  return found;
}

/** Packages of node_modules whose code is loaded at start. */
function packagesOf(name: string): ReadonlySet<string> {
  const named = bundle(name).eagerSources.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return new Set(named.filter((found) => found !== undefined));
}

// decision 40
test.each(['audit', 'events', 'resync', 'status'])('%s loads at most 1425 kB at start', (name) => {
  expect(bundle(name).eager).toBeLessThanOrEqual(1_425_000);
});

describe.each(['reconcile', 'sweep'])('%s', (name) => {
  test('loads at most 590 kB at start', () => {
    expect(bundle(name).eager).toBeLessThanOrEqual(590_000);
  });

  test('has nothing of the server, the metrics or the command line in it', () => {
    const packages = [...packagesOf(name)];

    expect(packages).not.toContain('yaml');
    expect(packages).toContain('got');
    for (const absent of ['express', 'serverless-http', 'prom-client', 'commander']) {
      expect(packages).not.toContain(absent);
    }
  });
});

test.each([...FUNCTIONS])('%s loads no code of client-node at start', (name) => {
  expect([...packagesOf(name)]).not.toContain('@kubernetes/client-node');
});

test.each(['audit', 'events'])('%s has no client of the cluster or the cloud in it', (name) => {
  const { files, eagerSources } = bundle(name);

  expect(eagerSources.filter((path) => /^shared\/(kube|openstack)\//.test(path))).toEqual([]);
  expect([...packagesOf(name)]).not.toContain('got');
  expect(files.some((path) => path.includes('config'))).toBe(false);
});

test.each([...FUNCTIONS])(
  'the zip of %s is complete: its handler can be loaded from there alone',
  async (name) => {
    const target = await mkdtemp(`${directory}/unzip-`);
    await run('python3', ['-m', 'zipfile', '-e', `${directory}/functions/${name}.zip`, target]);
    const script = `const { handler } = await import(process.argv[1]); console.log(typeof handler);`;

    const { stdout } = await run(process.execPath, [
      '--input-type=module',
      '-e',
      script,
      `${target}/functions/${name}.mjs`,
    ]);

    expect(stdout.trim()).toBe('function');
  },
);

test('a stack trace names lines of TypeScript where Node is told to use the source maps', async () => {
  const target = await mkdtemp(`${directory}/unzip-`);
  await run('python3', ['-m', 'zipfile', '-e', `${directory}/functions/sweep.zip`, target]);
  const script = `const { handler } = await import(process.argv[1]); await handler({}, null).catch(({ stack }) => { console.log(stack); });`;

  const { stdout } = await run(process.execPath, [
    '--enable-source-maps',
    '--input-type=module',
    '-e',
    script,
    `${target}/functions/sweep.mjs`,
  ]);

  const text = await readFile('functions/lambda/function-log.ts', 'utf8');
  const line = text.split('\n').findIndex((one) => one.includes('awsRequestId')) + 1;
  expect(stdout).toContain(`functions/lambda/function-log.ts:${line}:`);
});

test('the program works as one file tree: plan reads kubeconfig and cloud.conf and prints what it would do', async () => {
  const { sandbox, env } = await sandboxWorld();
  sandbox.kube.apply(aService('web'));

  const { stdout } = await run(process.execPath, [`${directory}/levelset.mjs`, 'plan'], {
    env: { ...process.env, ...env },
  });

  expect(stdout).toContain('default/web: 2 to create');
});
