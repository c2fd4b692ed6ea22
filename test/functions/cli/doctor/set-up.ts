import { readFile, writeFile } from 'node:fs/promises';
import { sandboxWorld, type SandboxWorld } from '../../sandbox-world.ts';
import { out, run } from '../command-line.ts';
import type { Finding } from '../../../../functions/cli/doctor/finding.ts';

/** A sandbox with files that a test may edit, as a person would. */
export interface SetUp extends SandboxWorld {
  /** Replaces a text in cloud.conf. */
  readonly edit: (from: string | RegExp, to: string) => Promise<void>;
  /** Writes another kubeconfig token. */
  readonly token: (token: string) => Promise<void>;
  /** Flags of the command line besides those of the files. */
  readonly more: string[];
}

export async function aSetUp(): Promise<SetUp> {
  const world = await sandboxWorld();
  const replaceIn = async (file: string, from: string | RegExp, to: string): Promise<void> => {
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
  };
  return {
    ...world,
    more: [],
    edit: (from, to) => replaceIn(world.flags.cloudConfig, from, to),
    token: (token) => replaceIn(world.flags.kubeconfig, /token: .*/, `token: ${token}`),
  };
}

/** What the doctor finds now, and its exit code. */
export async function doctor({
  env,
  more,
}: SetUp): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const code = await run(['doctor -o json', ...more].join(' '), env);
  return { code, findings: JSON.parse(out.at(-1) ?? '') as Finding[] };
}

/** What is wrong, as one line each. */
export function wrongIn(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ level }) => level === 'failure' || level === 'warning')
    .map(({ level, area, what }) => `${level} ${area}: ${what}`);
}
