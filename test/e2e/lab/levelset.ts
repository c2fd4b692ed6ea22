import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import got from 'got';
import { lab } from './environment.ts';
import { run, type Ran } from './run.ts';
import { until } from './until.ts';

/** The path of the lab's webhook ends in it. */
export const CLUSTER_NAME = 'lab';
export const AUDIT_TOKEN = 'audit-token-of-the-lab';
export const RESYNC_TOKEN = 'resync-token-of-the-lab';

export interface LevelsetOptions {
  /** What takes levelset's arguments: dist/levelset.mjs with this Node when not said. */
  readonly program?: readonly string[];
  readonly clusterName?: string;
  readonly cloudConfig?: string;
  readonly kubeconfig?: string;
  /** More flags; they come last and win. */
  readonly args?: readonly string[];
}

export interface ServeOptions extends LevelsetOptions {
  readonly listen?: string;
  /** So long by default that only events and the sweep at start are at work. */
  readonly sweepInterval?: string;
}

export interface Levelset {
  readonly url: string;
  readonly pid: number;
  /** Everything it wrote so far. */
  log(): string;
  /** POST /resync. */
  resync(body: object): Promise<void>;
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

const running = new Set<Levelset>();
let count = 0;

/** A file whose time is over is killed, and what it had started goes on to serve its cluster. */
function killThoseOfFilesBefore(): void {
  const own = new Set([...running].map(({ pid }) => pid));
  for (const pid of readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && !own.has(one))) {
    const isServing = (command: string): boolean =>
      command.includes('\0serve\0') && command.includes(`${lab().directory}/`);
    try {
      if (isServing(readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8'))) process.kill(pid, 'SIGKILL');
    } catch {
      // it is gone meanwhile
    }
  }
}

/** `levelset serve` under the ServiceAccount of infra/kubernetes; back when /readyz says that it is ready. */
export async function startLevelset(options: ServeOptions = {}): Promise<Levelset> {
  const { listen = lab().listen, sweepInterval = '1h' } = options;
  const { tls } = lab();
  const url = `https://${listen}`;
  const ask = got.extend({
    https: { certificateAuthority: readFileSync(tls.ca) },
    retry: { limit: 0 },
    throwHttpErrors: false,
  });
  if (count === 0) killThoseOfFilesBefore();
  const logFile = join(lab().directory, `levelset-${++count}.log`);
  const serve = ['serve', '--listen', listen, '--sweep-interval', sweepInterval];
  serve.push('--tls-cert-file', tls.cert, '--tls-private-key-file', tls.key);
  const log = createWriteStream(logFile);
  await new Promise((resolve) => log.once('open', resolve));
  const [command = '', ...rest] = commandLine(serve, options);
  const child = spawn(command, rest, {
    env: environment(),
    stdio: ['ignore', log, log],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const orphan = () => child.kill('SIGKILL');
  process.once('exit', orphan);
  void exited.then(() => {
    process.off('exit', orphan);
    running.delete(levelset);
  });
  const levelset: Levelset = {
    url,
    pid: child.pid ?? 0,
    log: () => readFileSync(logFile, 'utf8'),
    async resync(body) {
      const headers = { authorization: `Bearer ${RESYNC_TOKEN}` };
      await ask.post(`${url}/resync`, { json: body, headers });
    },
    async get(path) {
      const answer = await ask(url + path);
      return { status: answer.statusCode, text: answer.body };
    },
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 40_000);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  running.add(levelset);
  try {
    await until(`${url}/readyz`, async () => {
      if (child.exitCode !== null) return true;
      const { status, text } = await levelset.get('/readyz');
      if (status !== 200) throw new Error(`${status} ${text}`);
      return true;
    });
  } catch (error) {
    await levelset.kill();
    throw new Error(`levelset did not get ready: ${String(error)}\n${levelset.log()}`, { cause: error });
  }
  if (child.exitCode !== null) throw new Error(`levelset ended with ${child.exitCode}:\n${levelset.log()}`);
  return levelset;
}

/** Whatever a test left running. */
export async function stopAllLevelsets(): Promise<void> {
  await Promise.all([...running].map((levelset) => levelset.stop()));
}

/** A command that ends by itself: sweep, plan, reconcile ... with the same identity. */
export async function runLevelset(args: readonly string[], options: LevelsetOptions = {}): Promise<Ran> {
  const [command = '', ...rest] = commandLine(args, options);
  return run(command, rest, { env: environment() });
}

/**
 * Sweeps until exit code 0, as cron would; the outputs. Fails after `most` sweeps, and on exit code 1. Beside a process that leads that one is
 * asked to sweep, until nothing needs work.
 */
export async function sweepUntilSettled(options: LevelsetOptions = {}, most = 60): Promise<readonly Ran[]> {
  const sweeps: Ran[] = [];
  while (sweeps.length < most) {
    const [beside] = running;
    await beside?.resync({ all: true });
    const sweep = await runLevelset(beside ? ['sweep', '--dry-run'] : ['sweep'], options);
    sweeps.push(sweep);
    const isLevel = beside === undefined || sweep.stdout.includes('; 0 need work');
    if (sweep.code === 0 && isLevel) return sweeps;
    if (sweep.code === 0) continue;
    // the next sweep compares what OpenStack was too slow for in this one
    const isLate = / no answer within 5 s$/m.test(sweep.stderr) && !/ failed[,;.]/.test(sweep.stdout);
    if (sweep.code !== 2 && !isLate)
      throw new Error(`levelset sweep ended with ${sweep.code}:\n${sweep.stdout}${sweep.stderr}`);
  }
  throw new Error(`still not settled after ${most} sweeps:\n${sweeps.at(-1)?.stdout ?? ''}`);
}

function commandLine([command = 'serve', ...rest]: readonly string[], options: LevelsetOptions): string[] {
  const built = join(lab().repository, 'dist/levelset.mjs');
  if (!existsSync(built)) throw new Error(`${built} is not there: npm run build`);
  const { program = [process.execPath, built], args = [] } = options;
  const { kubeconfig = lab().levelsetKubeconfig, cloudConfig = lab().cloudConfig } = options;
  const identity = ['--kubeconfig', kubeconfig, '--cloud-config', cloudConfig];
  const name = ['--cluster-name', options.clusterName ?? CLUSTER_NAME];
  return [...program, command, ...rest, ...identity, ...name, ...args];
}

/** Nothing of the caller's KUBECONFIG or OS_*: what levelset may do comes from its flags alone. */
function environment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return {
    PATH,
    HOME,
    LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN,
    LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN,
    // what a run that was cut off has left goes with the next sweep
    LEVELSET_ORPHAN_DELAY: '0s',
  };
}
