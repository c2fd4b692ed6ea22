import { onTestFinished, vi } from 'vitest';
import { main } from '../../../functions/cli/main.ts';

/** What the command lines of one test have printed, line by line. */
export const out: string[] = [];
export const err: string[] = [];

let isListening = false;

/** Takes down what is printed, from the first command line of a test to its end. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  out.length = 0;
  err.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line: string) => void out.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void err.push(line));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err.push(String(text)), true));
  onTestFinished(() => {
    isListening = false;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
}

/** One command line, and its exit code; `env` stands in the process' own environment from now on, to the end of the test. */
export function run(line: string, env: NodeJS.ProcessEnv): Promise<number> {
  listen();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return main(line.split(' '));
}
