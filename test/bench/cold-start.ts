/**
 * Cold and warm time, memory and size of each function on Lambda's own runtime, beside a bare Node function in the same
 * sitting: `node test/bench/cold-start.ts`. ROUNDS (7) cold starts each, in turn, and as many with the start and the work of the
 * first invocation apart. Needs no lab but what it installs.
 */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAll } from '../../build.ts';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { startElasticMq } from '../e2e/lambda/aws/elasticmq.ts';
import { ExecutionEnvironment } from '../e2e/lambda/aws/execution-environment.ts';
import { installed } from '../e2e/lambda/aws/installed.ts';
import type { TemplateText } from '../e2e/lambda/aws/intrinsics.ts';
import { startParameterStore } from '../e2e/lambda/aws/parameter-store.ts';
import { sqs } from '../e2e/lambda/aws/sqs.ts';
import { readTemplate, type FunctionSettings } from '../e2e/lambda/aws/template.ts';
import { must } from '../e2e/lab/run.ts';
import { AUDIT_TOKEN, PAGE_TOKEN, RESYNC_TOKEN } from '../http/tokens.ts';
import { packageTemplate } from '../functions/lambda/packaged-template.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const WARM = 5;
const START = '"start"';
const KB = 1_000;

interface Measured {
  readonly cold: number[];
  /** The start of the process and of the function's code alone, and the work of a first invocation after it. */
  readonly start: number[];
  readonly first: number[];
  /** Of the start and the first invocation, which other work on the machine does not change much. */
  readonly cpu: number[];
  readonly warm: number[];
  readonly peakMb: number[];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const nameOf = ({ name }: FunctionSettings): string => name.split('-').at(-1) ?? name;

/** An event that is answered without work: what is measured is the way to the code that answers. */
function eventOf(name: string): unknown {
  const http = (method: string, path: string, token: string, type: string, body?: unknown): object => ({
    ...{
      version: '2.0',
      routeKey: `${method} ${path}`,
      rawPath: path,
      rawQueryString: '',
      isBase64Encoded: false,
    },
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': type,
      accept: 'application/json',
      host: 'bench',
    },
    requestContext: {
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
      ...{ requestId: 'bench', stage: '$default', routeKey: `${method} ${path}` },
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const key = 'service/default/no-such';
  const work = { request: { key, trigger: 'audit' }, attempt: 0 };
  const message = { messageId: '1', receiptHandle: '1', body: JSON.stringify(work), messageAttributes: {} };
  const batch = [{ specversion: '1.0', id: 'bench', type: 'dev.knative.sources.ping', source: '/bench' }];
  const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [] };
  const events: Readonly<Record<string, unknown>> = {
    bare: {},
    audit: http('POST', '/audit/kubernetes', AUDIT_TOKEN, 'application/json', list),
    events: http(
      'POST',
      '/events/kubernetes',
      AUDIT_TOKEN,
      'application/cloudevents-batch+json',
      batch.slice(1),
    ),
    resync: http('POST', '/resync', RESYNC_TOKEN, 'application/json', { objects: [key] }),
    status: http('GET', '/', PAGE_TOKEN, 'application/json'),
    reconcile: {
      Records: [
        {
          ...message,
          attributes: { MessageGroupId: key, ApproximateReceiveCount: '1' },
          eventSource: 'aws:sqs',
        },
      ],
    },
    sweep: { trigger: 'sweep' },
  };
  return events[name];
}

const directory = await mkdtemp(join(tmpdir(), 'levelset-cold-'));
const zips = join(directory, 'dist/functions');
const bundles = await buildAll(join(directory, 'dist'));
const parts = await installed();
const sandbox = await startSandbox({ pendingMs: 0 });
const access = await writeAccess(sandbox);
const parameters = await startParameterStore({
  '/levelset/dev/cloud.conf': await readFile(access.cloudConfig, 'utf8'),
  '/levelset/dev/kubeconfig': await readFile(access.levelsetKubeconfig, 'utf8'),
  '/levelset/dev/audit-tokens': AUDIT_TOKEN,
  '/levelset/dev/resync-tokens': RESYNC_TOKEN,
  '/levelset/dev/page-tokens': PAGE_TOKEN,
});
const elasticmq = await startElasticMq(parts.elasticmq);
const packaged = await packageTemplate({ zips });
const text = JSON.parse(await readFile(packaged.file, 'utf8')) as TemplateText;
const template = readTemplate(text, { sqsUrl: elasticmq.url, zips, prefix: '' });
try {
  for (const { name, attributes } of template.queues)
    await sqs(elasticmq.url, 'CreateQueue', { QueueName: name, Attributes: attributes });
  for (const { name, zip } of template.functions)
    await must('python3', ['-m', 'zipfile', '-e', zip, join(directory, name)]);
  const bare = await bareFunction();
  const measured = new Map<string, Measured>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const settings of [bare, ...template.functions]) await measure(settings, measured);
  await print([bare, ...template.functions], measured);
} finally {
  await elasticmq.stop();
  await parameters.stop();
  await sandbox.close();
  await packaged.remove();
  for (const path of [access.directory, directory]) await rm(path, { recursive: true });
}

/** A handler that returns at once, with the settings of a function of the template. */
async function bareFunction(): Promise<FunctionSettings> {
  const [like] = template.functions;
  if (!like) throw new Error('the template has no function');
  const code = join(directory, 'bare');
  await mkdir(join(code, 'functions'), { recursive: true });
  await writeFile(
    join(code, 'functions/bare.mjs'),
    "export const handler = async () => ({ statusCode: 200, body: '' });\n",
  );
  return { ...like, name: 'bare', handler: 'functions/bare.handler', environment: {} };
}

async function measure(settings: FunctionSettings, measured: Map<string, Measured>): Promise<void> {
  const name = nameOf(settings);
  const event = JSON.stringify(eventOf(name));
  const row = measured.get(name) ?? { cold: [], start: [], first: [], cpu: [], warm: [], peakMb: [] };
  measured.set(name, row);
  await inNewEnvironment(settings, async (environment, invoke) => {
    row.cold.push(await invoke(event));
    row.cpu.push(environment.cpuMs ?? NaN);
    for (let turn = 0; turn < WARM; turn += 1) row.warm.push(await invoke(event));
    row.peakMb.push(environment.peakMb ?? NaN);
  });
  await inNewEnvironment(await apart(settings), async (_environment, invoke) => {
    row.start.push(await invoke(START));
    row.first.push(await invoke(event));
  });
}

/** The same function in a module that answers START itself. */
async function apart(settings: FunctionSettings): Promise<FunctionSettings> {
  const module = settings.handler.replace(/^functions\/|\.handler$/g, '');
  const code = `import { handler as work } from './${module}.mjs';
    export const handler = async (event, context) => (event === ${START} ? {} : work(event, context));\n`;
  await writeFile(join(directory, settings.name, 'functions/apart.mjs'), code);
  return { ...settings, handler: 'functions/apart.handler' };
}

async function inNewEnvironment(
  settings: FunctionSettings,
  use: (environment: ExecutionEnvironment, invoke: (event: string) => Promise<number>) => Promise<void>,
): Promise<void> {
  let log = '';
  const environment = new ExecutionEnvironment({
    installed: parts,
    settings,
    code: join(directory, settings.name),
    variables: { AWS_ENDPOINT_URL_SSM: parameters.url },
    log: (part) => (log += part),
  });
  try {
    await environment.listens();
    await use(environment, async (event) => {
      const began = performance.now();
      const { functionError, payload } = await environment.invoke(event);
      const ms = performance.now() - began;
      const { statusCode = 200 } = (JSON.parse(payload || 'null') ?? {}) as { statusCode?: number };
      if (functionError || statusCode >= 400) throw new Error(`${settings.name}: ${payload}\n${log}`);
      return ms;
    });
  } finally {
    await environment.stop();
  }
}

async function print(
  functions: readonly FunctionSettings[],
  measured: ReadonlyMap<string, Measured>,
): Promise<void> {
  const bare = measured.get('bare');
  const lines = functions.map(async (settings) => {
    const name = nameOf(settings);
    const row = measured.get(name);
    const bundle = bundles.find((one) => one.name === name);
    if (!row || !bare) throw new Error(`${name} was not measured`);
    const zip = bundle ? (await stat(settings.zip)).size : 0;
    const cells: Readonly<Record<string, string>> = {
      function: name,
      'kB at start': ((bundle?.eager ?? 0) / KB).toFixed(0),
      'kB zip': (zip / KB).toFixed(0),
      'cold ms': median(row.cold).toFixed(0),
      'over bare': (median(row.cold) - median(bare.cold)).toFixed(0),
      'of it start': median(row.start).toFixed(0),
      'first work': median(row.first).toFixed(0),
      best: Math.min(...row.cold).toFixed(0),
      'best over bare': (Math.min(...row.cold) - Math.min(...bare.cold)).toFixed(0),
      'cpu ms': median(row.cpu).toFixed(0),
      'warm ms': median(row.warm).toFixed(1),
      'peak MB': median(row.peakMb).toFixed(0),
    };
    return cells;
  });
  console.log(`median of ${ROUNDS}, Node ${process.version}, the handlers in turn`);
  console.table(
    Object.fromEntries((await Promise.all(lines)).map(({ function: name = '', ...rest }) => [name, rest])),
  );
}
