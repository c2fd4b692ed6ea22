import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** A command to its end, whatever its exit code. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: options.timeoutMs ?? 120_000,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined); // the child may end without reading
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal) stderr += `\nended by ${signal}`;
      resolve({ code: code ?? 128, stdout, stderr, ms: performance.now() - started });
    });
  });
}

/** A command that must succeed; its output without the line end. */
export async function must(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const ran = await run(command, args, options);
  if (ran.code !== 0)
    throw new Error(
      `${command} ${args.join(' ')} ended with ${ran.code}: ${(ran.stderr || ran.stdout).trim()}`,
    );
  return ran.stdout.trimEnd();
}
