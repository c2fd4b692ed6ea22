import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildAll, FUNCTIONS, type Bundle } from '../../../build.ts';
import { bodyOf } from '../../../shared/queue/queued-work.ts';
import { startAws } from './aws-fake.ts';
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

// decision 258
test.each([
  ['audit', 88],
  ['events', 81],
  ['resync', 850],
  ['status', 532],
  ['reconcile', 670],
  ['sweep', 656],
])('%s loads at most %d kB at start', (name, kilobytes) => {
  expect(bundle(name).eager).toBeLessThanOrEqual(kilobytes * 1_000);
});

test.each([...FUNCTIONS, 'levelset'])('%s has neither character sets nor all media types in it', (name) => {
  const { sources } = bundle(name);
  expect(sources.filter((path) => /iconv-lite|mime-db|body-parser\//.test(path))).toEqual([]);
});

describe.each(['reconcile', 'sweep'])('%s', (name) => {
  test('has nothing of the server, the metrics or the command line in it', () => {
    const packages = [...packagesOf(name)];

    expect(packages).not.toContain('yaml');
    expect(packages).toContain('got');
    for (const absent of ['express', 'serverless-http', 'prom-client', 'commander']) {
      expect(packages).not.toContain(absent);
    }
  });
});

test.each([...FUNCTIONS])('%s has no login of client-node in it, which cannot run there', (name) => {
  expect(bundle(name).sources.filter((path) => path.includes('@kubernetes/client-node'))).toEqual([]);
  expect(bundle(name).total).toBeLessThan(980_000);
});

test('the program loads client-node only when somebody logs in', () => {
  expect(bundle('levelset').sources.join()).toContain('@kubernetes/client-node');
  expect([...packagesOf('levelset')]).not.toContain('@kubernetes/client-node');
});

test.each(['audit', 'events'])(
  '%s has no client of the cluster or the cloud in it, and no server',
  (name) => {
    const { sources } = bundle(name);

    expect(sources.filter((path) => /^shared\/(kube|openstack)\//.test(path))).toEqual([]);
    expect([...packagesOf(name)].sort()).toEqual([
      '@aws-lambda-powertools/commons',
      '@aws-lambda-powertools/logger',
      '@aws/lambda-invoke-store',
      'aws4',
    ]);
  },
);

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

// decision 258
test.each(['audit', 'events', 'reconcile', 'sweep'])(
  '%s loads neither fetch nor HTTP/2 nor texts of ICU, neither at its start nor when it asks Parameter Store',
  async (name) => {
    const aws = await startAws();
    onTestFinished(() => aws.close());
    const script = `
      Intl.ListFormat = class { constructor() { console.log('ListFormat'); } };
      const { handler } = await import(process.argv[1]);
      const http = { method: 'POST', sourceIp: '127.0.0.1' };
      const event = { rawPath: '/', headers: {}, requestContext: { http }, Records: [JSON.parse(process.argv[2])] };
      await handler(event, { getRemainingTimeInMillis: () => 20_000 }).catch((error) => console.log(error.message));
      console.log(process.moduleLoadList.filter((module) => /undici|http2|webcrypto/.test(module)).join());`;
    const record = {
      body: bodyOf({ request: { key: 'service/shop/web', trigger: 'audit' } }),
      receiptHandle: 'receipt-1',
      attributes: { SentTimestamp: '0' },
    };

    const { stdout } = await run(
      process.execPath,
      ['--input-type=module', '-e', script, `${directory}/functions/${name}.mjs`, JSON.stringify(record)],
      {
        env: {
          ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
          ...{ AWS_ENDPOINT_URL_SSM: aws.url, LEVELSET_AUDIT_TOKENS_PARAMETER: '/tokens' },
          LEVELSET_QUEUE_URL: `${aws.url}/keys.fifo`,
        },
      },
    );

    expect(aws.calls).toContain('GetParameters');
    expect(stdout).not.toMatch(/undici|http2|webcrypto|ListFormat/);
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

test('the program answers with page, JSON and text as what they are, though the build leaves media types out', async () => {
  const { env } = await sandboxWorld();
  const program = spawn(process.execPath, [`${directory}/levelset.mjs`, 'serve', '--listen=127.0.0.1:0'], {
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  let url: string | undefined;
  while (url === undefined) {
    const [lines] = (await once(program.stdout, 'data')) as [Buffer];
    url = /"url":"([^"]+)"/.exec(lines.toString())?.[1];
  }
  const typeOf = async (path: string, accept: string): Promise<string | null> => {
    const answer = await fetch(`${url}${path}`, { headers: { accept } });
    await answer.text();
    return answer.headers.get('content-type');
  };

  expect(await typeOf('/', 'text/html,*/*;q=0.8')).toBe('text/html; charset=utf-8');
  expect(await typeOf('/', 'application/json')).toBe('application/json; charset=utf-8');
  expect(await typeOf('/healthz', '*/*')).toBe('text/plain; charset=utf-8');
});
