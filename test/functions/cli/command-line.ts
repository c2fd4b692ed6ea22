import { dirname, join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { main } from '../../../functions/cli/main.ts';
import type { SandboxWorld } from '../sandbox-world.ts';

/** What the command lines of one test have printed, line by line. */
export const out: string[] = [];
export const err: string[] = [];

const TRANSCRIPTS = join(import.meta.dirname, 'transcript');

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

/** What is typed, or what happens meanwhile. */
type Step = string | readonly [what: string, happens: () => unknown];

/** A text with names in place of places, ids, times and sizes. */
export function named(text: string, { cloudConfig }: SandboxWorld['flags']): string {
  return text
    .replaceAll(`${TRANSCRIPTS}/`, '')
    .replaceAll(`${dirname(cloudConfig)}/`, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\d+ reads, \d+ KiB/g, 'N reads, N KiB')
    .replaceAll(/[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{12}\b/g, 'HASH')
    .replaceAll(/f816:3eff:[0-9a-f:]+/g, 'MAC');
}

/**
 * What a person sees who types these lines is what stands in transcript/NAME.txt, after several of them if it is the same: `vitest -u`
 * writes it anew.
 */
export async function expectTranscript(
  name: string,
  { env, flags }: Pick<SandboxWorld, 'env' | 'flags'>,
  steps: readonly Step[],
): Promise<void> {
  const transcript: { typed: string; seen: string }[] = [];
  for (const step of steps) {
    if (typeof step !== 'string') {
      await step[1]();
      transcript.push({ typed: `# ${step[0]}\n`, seen: '\n' });
      continue;
    }
    out.length = err.length = 0;
    const code = await run(step, env);
    const seen = [...out, ...err, `exit ${code}`, '', ''].join('\n');
    const last = transcript.at(-1);
    if (last?.seen === seen) last.typed += `$ levelset ${step}\n`;
    else transcript.push({ typed: `$ levelset ${step}\n`, seen });
  }
  const text = transcript.map(({ typed, seen }) => typed + seen).join('');
  await expect(named(text, flags)).toMatchFileSnapshot(join(TRANSCRIPTS, `${name}.txt`));
}
