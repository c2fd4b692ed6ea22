import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../repo/files.ts';

/** A block of commands of a document, and what the document says that one sees then. */
export interface TypedBlock {
  readonly commands: string;
  /** Empty: the document says nothing. */
  readonly expected: readonly string[];
  /** Where it begins: FILE:LINE. */
  readonly at: string;
}

/** The blocks ```sh of a document, each with the ```text after it. */
export function typedBlocks(path: string): readonly TypedBlock[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const block = /^( *)```sh\n([^]*?)\n\1```(?:\s*\n\1```text\n([^]*?)\n\1```)?/gm;
  return [...text.matchAll(block)].map(({ 2: commands = '', 3: seen = '', index }) => ({
    commands,
    expected: seen.split('\n').filter((line) => line !== ''),
    at: `${path}:${text.slice(0, index).split('\n').length}`,
  }));
}

/** In place of what `npm ci` builds, the sources. */
const FROM_SOURCES =
  'npx() { [ "$1 $2" = "node dist/levelset.mjs" ] || return 127; shift 2; "$NODE" functions/cli.ts "$@"; }';

/** Types one block in the checkout, with bash; it ends at the first command that fails. Returns what it printed. */
export function type({ commands, at }: TypedBlock, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = ['set -euo pipefail', FROM_SOURCES, commands].join('\n');
    const options = { cwd: ROOT, env: { ...process.env, NODE: process.execPath, ...env }, timeout: 60_000 };
    execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${at}: ${error.message}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}
