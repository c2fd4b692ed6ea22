import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Architecture = 'amd64' | 'arm64';

export const ROOT = join(import.meta.dirname, '../..');
/** Where downloads are kept, by version. */
export const CACHE = process.env['LEVELSET_CACHE'] ?? join(homedir(), '.cache/levelset');

/** What a command printed; throws with what it complained about. */
export async function run(command: string, args: readonly string[], cwd: string = ROOT): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trimEnd();
}
