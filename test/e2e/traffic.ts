import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { lab } from './environment.ts';
import { must, run } from './run.ts';

/** What came back to the lab's client. `port` is the one that the node was addressed on: its node port. */
export type Answer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly node: string;
      readonly port: number;
      /** Whom the node saw: behind a load balancer its VIP. */
      readonly peer: string;
      readonly headers: Readonly<Record<string, string>>;
      /** What the PROXY protocol told the node. */
      readonly proxy: unknown;
      readonly at: number;
    }
  | { readonly ok: false; readonly reason: string; readonly at: number };

/** Addresses of the lab's client; requests come from the first unless told otherwise. */
export const CLIENT = '198.51.100.10';
export const OTHER_CLIENT = '192.0.2.20';

export interface AskOptions {
  readonly from?: string;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const SCRIPT = join(import.meta.dirname, 'client.py');
const DATAPLANE = () => join(lab().repository, 'infra/lab/openstack/dataplane.sh');
const dataplaneEnv = () => ({ LAB: lab().labState });

/** One HTTP request from outside: http://<floating IP>:<port>/path. */
export async function askHttp(url: string, options: AskOptions = {}): Promise<Answer> {
  return one(await askMany(url, 1, options));
}

/** One datagram from outside. */
export async function askUdp(address: string, port: number, options: AskOptions = {}): Promise<Answer> {
  return one(await askMany(`udp://${address}:${port}`, 1, options));
}

function one([answer]: readonly Answer[]): Answer {
  if (!answer) throw new Error("the lab's client said nothing");
  return answer;
}

/** `count` requests one after the other, each on a connection of its own. */
export async function askMany(
  url: string,
  count: number,
  options: AskOptions = {},
): Promise<readonly Answer[]> {
  const ran = await run(DATAPLANE(), ['client', ...command(url, String(count), '0', options)], {
    env: dataplaneEnv(),
  });
  if (ran.code !== 0) throw new Error(`the lab's client failed: ${ran.stderr}`);
  return ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** The names of the nodes that answered `count` requests; nothing when any of them failed. */
export async function answeringNodes(
  url: string,
  count: number,
  options: AskOptions = {},
): Promise<ReadonlySet<string>> {
  const answers = await askMany(url, count, options);
  return new Set(
    answers.every(({ ok }) => ok) ? answers.flatMap((answer) => (answer.ok ? [answer.node] : [])) : [],
  );
}

/** Status and Location of the answer, which need not come from a node: `302 https://app.example.org/path`. */
export async function askLocation(url: string): Promise<string> {
  const curl = [
    'curl',
    '-s',
    '-o',
    '/dev/null',
    '--max-time',
    '5',
    '-w',
    '%{http_code} %{redirect_url}',
    url,
  ];
  return must(DATAPLANE(), ['client', ...curl], { env: dataplaneEnv() });
}

export interface Traffic {
  /** Every answer so far, in order. */
  readonly answers: readonly Answer[];
  /** Ends it; every answer there was. */
  stop(): Promise<readonly Answer[]>;
}

/** Requests without a pause, one every `everyMs`, until stopped; to `tcp://ADDRESS:PORT` all on one open connection. */
export function startTraffic(url: string, everyMs = 50, options: AskOptions = {}): Traffic {
  const child = spawn(DATAPLANE(), ['client', ...command(url, '0', String(everyMs), options)], {
    env: { ...process.env, ...dataplaneEnv() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answers: Answer[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => answers.push(JSON.parse(line) as Answer));
  const closed = new Promise((resolve) => lines.once('close', resolve));
  return {
    answers,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return answers;
    },
  };
}

function command(url: string, count: string, everyMs: string, options: AskOptions): string[] {
  const { from = CLIENT, timeoutMs = 3000, headers = {} } = options;
  return [
    '/usr/bin/python3',
    '-IS',
    SCRIPT,
    url,
    count,
    everyMs,
    from,
    String(timeoutMs),
    JSON.stringify(headers),
  ];
}

/** The longest time without a good answer, in milliseconds. */
export function longestOutage(answers: readonly Answer[]): number {
  let [longest, lastGood] = [0, answers[0]?.at ?? 0];
  for (const { ok, at } of answers) {
    longest = Math.max(longest, at - lastGood);
    if (ok) lastGood = at;
  }
  return longest;
}

/** The node stops answering: `reset` refuses, `drop` swallows; on one port or on all. */
export async function nodeDown(node: string, how: 'reset' | 'drop' = 'reset', port?: number): Promise<void> {
  const words = [
    'node-down',
    node,
    ...(port === undefined ? [] : [String(port)]),
    ...(how === 'drop' ? ['drop'] : []),
  ];
  await must(DATAPLANE(), words, { env: dataplaneEnv() });
}

/** The node answers HTTP with this status; on one port or on all. */
export async function nodeHttp(node: string, status: number, port?: number): Promise<void> {
  const words = ['node-http', node, String(status), ...(port === undefined ? [] : [String(port)])];
  await must(DATAPLANE(), words, { env: dataplaneEnv() });
}

export async function nodeUp(node: string): Promise<void> {
  await must(DATAPLANE(), ['node-up', node], { env: dataplaneEnv() });
}
