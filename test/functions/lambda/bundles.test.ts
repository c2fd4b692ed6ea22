import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildAll, FUNCTIONS, type Bundle } from '../../../build.ts';
import { bodyOf } from '../../../shared/queue/queued-work.ts';
import { textOf } from '../../repo/files.ts';
import { startAws } from './aws-fake.ts';
import { asked } from './deployed.ts';
import { sandboxWorld } from '../sandbox-world.ts';

const run = promisify(execFile);

let directory: string;
let bundles: ReadonlyMap<string, Bundle>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-build-'));
  bundles = new Map((await buildAll(directory)).map((bundle) => [bundle.name, bundle]));
}, 60_000);
afterAll(() => rm(directory, { recursive: true }));

/** The kB that each function loads at its start (decision 258): whatever a bundle has too much is seen there. */
const AT_START: Readonly<Record<(typeof FUNCTIONS)[number], number>> = {
  audit: 88,
  events: 81,
  resync: 850,
  status: 532,
  reconcile: 670,
  sweep: 656,
};

test.each(Object.entries(AT_START))('%s loads at most %d kB at start', (name, kilobytes) => {
  const { eager = Infinity, total = Infinity } = bundles.get(name) ?? {};
  expect(eager).toBeLessThanOrEqual(kilobytes * 1_000);
  expect(total).toBeLessThan(980_000);
});

test('the program loads client-node only when somebody logs in', () => {
  const { sources = [], eagerSources = [] } = bundles.get('levelset') ?? {};
  expect(sources.join()).toContain('@kubernetes/client-node');
  expect(eagerSources.join()).not.toContain('@kubernetes/client-node');
});

test.each(FUNCTIONS)('the zip of %s is whole, quick to load, and names lines of TypeScript', async (name) => {
  const aws = await startAws();
  onTestFinished(() => aws.close());
  const target = await mkdtemp(`${directory}/unzip-`);
  await run('python3', ['-m', 'zipfile', '-e', `${directory}/functions/${name}.zip`, target]);
  const record = { body: bodyOf(asked()), receiptHandle: 'receipt-1', attributes: { SentTimestamp: '0' } };
  const http = { method: 'POST', sourceIp: '127.0.0.1' };
  const event = { rawPath: '/', headers: {}, requestContext: { http }, Records: [record] };
  const script = `
  Intl.ListFormat = class { constructor() { console.log('ListFormat'); } };
  const { handler } = await import(process.argv[1]);
  await handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 20_000 }).catch(() => undefined);
  console.log(process.moduleLoadList.filter((module) => /undici|http2|webcrypto/.test(module)).join());
  await handler({}, null).catch(({ stack }) => console.log(stack));`;

  const env = {
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    ...{ AWS_ENDPOINT_URL_SSM: aws.url, LEVELSET_AUDIT_TOKENS_PARAMETER: '/tokens' },
    LEVELSET_QUEUE_URL: `${aws.url}/keys.fifo`,
  };
  const words = ['--enable-source-maps', '--input-type=module', '-e', script];
  const given = [`${target}/functions/${name}.mjs`, JSON.stringify(event)];

  const { stdout } = await run(process.execPath, [...words, ...given], { env });

  expect(aws.calls).toContain('GetParameters');
  const lines = textOf('functions/lambda/function-log.ts').split('\n');
  const line = lines.findIndex((one) => one.includes('awsRequestId')) + 1;
  expect(stdout).toContain(`functions/lambda/function-log.ts:${line}:`);
  // decision 258: neither fetch nor HTTP/2 nor texts of ICU, at the start or when it asks Parameter Store
  if (name !== 'resync' && name !== 'status') expect(stdout).not.toMatch(/undici|http2|webcrypto|ListFormat/);
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

  for (const [path, accept, type] of [
    ['/', 'text/html,*/*;q=0.8', 'text/html'],
    ['/', 'application/json', 'application/json'],
    ['/healthz', '*/*', 'text/plain'],
  ] as const) {
    const { headers } = await fetch(`${url}${path}`, { headers: { accept } });
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  }
});
