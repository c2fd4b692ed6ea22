import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram as build } from '../../build.ts';

/** The program as it is shipped, built of the sources as they are now. */
export interface Program {
  /** `levelset ARGS` in a process of its own, with these options of Node. */
  start(args: readonly string[], node?: readonly string[]): RunningProgram;
  remove(): Promise<void>;
}

export interface RunningProgram {
  readonly process: ChildProcess;
  /** Its exit code, undefined when it was killed, and what it printed. */
  readonly ended: Promise<{ readonly code: number | undefined; readonly output: string }>;
}

export async function buildProgram(): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-program-'));
  await build(directory);
  const env = { NODE_COMPILE_CACHE: join(directory, 'cache') };
  return {
    start: (args, node = []) => {
      const child = spawn(process.execPath, [...node, join(directory, 'levelset.mjs'), ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env,
      });
      const chunks: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
      }
      const ended = once(child, 'close').then(([code]: (number | null)[]) => ({
        code: code ?? undefined,
        output: chunks.join(''),
      }));
      return { process: child, ended };
    },
    remove: () => rm(directory, { recursive: true }),
  };
}
