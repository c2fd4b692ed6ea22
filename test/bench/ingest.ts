/**
 * What a `levelset serve` takes in, over HTTPS and while it works on the keys: `node test/bench/ingest.ts
 * [--program dist/levelset.mjs] [--connections 1,8] [--seconds 10 | --minutes 60] [--rate EVENTS_PER_S] [--node=OPTIONS]`. The client is a
 * thread of its own, the simulators are another process than the program. Without a rate it sends as fast as answers come. What is
 * sent in the first three seconds warms the program up, and does not count. With minutes it prints the RSS of each, and how it
 * grows. CPU is that of the program, so it says something on a busy machine, too. Node's options and MALLOC_ARENA_MAX are those
 * of the Deployment; of its 512 MiB Node takes 256 for the old generation.
 */
import type { IncomingMessage } from 'node:http';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { aService } from '../support/service.ts';
import { eventList, nodeEvent, serviceEvent } from '../unit/trigger/audit-events.ts';

const BATCH = 400;
const SERVICES = 40;
const WARM_UP_S = 3;

interface Sending {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
  /** Batches per second on each connection; undefined: one after the other. */
  readonly batchesPerSecond: number | undefined;
}

/** Milliseconds of each batch, from its sending to the end of its answer. */
async function send({ url, ca, token, connections, seconds, batchesPerSecond }: Sending): Promise<number[]> {
  const items = Array.from({ length: BATCH }, (_, i) => {
    if (i % 4 === 0)
      return nodeEvent('patch', { auditID: `node-${i}`, objectRef: { resource: 'nodes', name: 'node-1' } });
    if (i % 4 === 1)
      return serviceEvent('patch', { user: { username: 'system:serviceaccount:levelset:levelset' } });
    const objectRef = { resource: 'services', namespace: 'default', name: `web-${i % SERVICES}` };
    return serviceEvent('update', { auditID: `service-${i}`, objectRef });
  });
  const body = Buffer.from(JSON.stringify(eventList(items)));
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const connection = async (): Promise<void> => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
    for (
      let due = performance.now();
      due < end;
      due = batchesPerSecond ? due + 1000 / batchesPerSecond : performance.now()
    ) {
      await sleep(Math.max(0, due - performance.now()));
      const began = performance.now();
      const request = https.request(`${url}/audit/kubernetes`, { method: 'POST', agent, headers });
      request.end(body);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      if (answer.statusCode !== 202) throw new Error(`the answer is ${answer.statusCode}`);
      took.push(performance.now() - began);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return took;
}

function inThread(sending: Sending): Promise<number[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: sending });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** RSS in MB, and seconds of CPU, from /proc. */
function usageOf(pid: number): { readonly rss: number; readonly cpu: number } {
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return { rss, cpu: (Number(fields[11]) + Number(fields[12])) / 100 };
}

interface RssAt {
  readonly second: number;
  readonly mb: number;
}

/** The line of least squares through the second half of what was measured, in MB an hour: the heap finds its size in the first. */
function growth(rss: readonly RssAt[]): number {
  const points = rss.slice(Math.ceil(rss.length / 2));
  const mean = (of: (point: RssAt) => number): number =>
    points.reduce((sum, at) => sum + of(at), 0) / points.length;
  const [second, mb] = [mean((at) => at.second), mean((at) => at.mb)];
  const spread = mean((at) => (at.second - second) ** 2);
  return (mean((at) => (at.second - second) * (at.mb - mb)) / spread) * 3600;
}

function printMinutes(rss: readonly RssAt[]): void {
  const last = Math.ceil((rss.at(-1)?.second ?? 0) / 60);
  const most = Array.from({ length: last }, (_, minute) =>
    Math.max(...rss.filter(({ second }) => Math.floor(second / 60) === minute).map(({ mb }) => mb)).toFixed(
      0,
    ),
  );
  console.log(
    `RSS at most in each minute: ${most.join(' ')} MB; in the second half it grows by ${growth(rss).toFixed(1)} MB an hour`,
  );
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      program: { type: 'string', default: 'dist/levelset.mjs' },
      connections: { type: 'string', default: '1,8' },
      seconds: { type: 'string', default: '10' },
      minutes: { type: 'string' },
      rate: { type: 'string' },
      node: { type: 'string', default: '--max-semi-space-size=4 --max-old-space-size=256' },
    },
  });
  const sandbox = await startSandbox({ nodes: 1 });
  const { directory, levelsetKubeconfig, cloudConfig } = await writeAccess(sandbox);
  for (let i = 0; i < SERVICES; i += 1) sandbox.kube.apply(aService({ name: `web-${i}` }));
  const [cert, key] = [`${directory}/cert.pem`, `${directory}/key.pem`];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...ec, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  const token = randomBytes(24).toString('hex');
  const program = spawn(
    process.execPath,
    [
      ...values.node.split(' ').filter((option) => option !== ''),
      ...[
        values.program,
        'serve',
        '--listen=127.0.0.1:0',
        `--tls-cert-file=${cert}`,
        `--tls-private-key-file=${key}`,
      ],
      ...[`--kubeconfig=${levelsetKubeconfig}`, `--cloud-config=${cloudConfig}`],
    ],
    {
      env: {
        PATH: process.env['PATH'],
        MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'] ?? '1',
        LEVELSET_AUDIT_TOKENS: token,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(program, 'exit').then(() => {
    throw new Error('the program has ended');
  });
  let [url, runs] = ['', 0];
  program.stdout.on('data', (lines: Buffer) => {
    url ||= /"url":"([^"]+)"/.exec(lines.toString())?.[1] ?? '';
    runs += lines.toString().split('"reconciled"').length - 1;
  });
  try {
    while (url === '') await Promise.race([sleep(20), exited]);
    await sleep(5_000);
    for (const connections of values.connections.split(',').map(Number)) {
      const pid = program.pid ?? 0;
      const ca = readFileSync(cert, 'utf8');
      const perConnection = values.rate === undefined ? undefined : Number(values.rate) / BATCH / connections;
      const sending = { url, ca, token, connections, batchesPerSecond: perConnection };
      await Promise.race([inThread({ ...sending, seconds: WARM_UP_S }), exited]);
      const [before, runsBefore, rss] = [usageOf(pid), runs, [] as RssAt[]];
      const began = performance.now();
      const watch = setInterval(() => {
        rss.push({ second: (performance.now() - began) / 1000, mb: usageOf(pid).rss });
      }, 500);
      const seconds = values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60;
      const took = await Promise.race([inThread({ ...sending, seconds }), exited]).finally(() => {
        clearInterval(watch);
      });
      took.sort((a, b) => a - b);
      const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(1);
      const events = Math.round((took.length * BATCH) / seconds).toLocaleString('en');
      const cpu = ((usageOf(pid).cpu - before.cpu) * 1000) / took.length;
      console.log(
        `${connections} connections: ${events} events/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.9999)} ms; ` +
          `${cpu.toFixed(2)} ms of CPU a batch; RSS at most ${Math.max(...rss.map(({ mb }) => mb)).toFixed(0)} MB, at the end ` +
          `${rss.at(-1)?.mb.toFixed(0)} MB; ${runs - runsBefore} runs`,
      );
      if (values.minutes !== undefined) printMinutes(rss);
    }
  } finally {
    program.kill('SIGTERM');
    await exited.catch(() => undefined);
    await sandbox.close();
    rmSync(directory, { recursive: true });
  }
}

if (isMainThread) await measure();
else parentPort?.postMessage(await send(workerData as Sending));
