import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ReconcileError } from './model/errors.ts';

/** As `readNamedText`, of a file that may not be empty: it is still being written, and TLS would take it for no certificate, or for every CA. */
export async function readNamedFile(namedBy: string, path: string, instead = ''): Promise<string> {
  const text = await readNamedText(namedBy, path, instead);
  if (text.trim() === '') throw new ReconcileError('CONFIG_INVALID', `${namedBy}: ${path} is empty`);
  return text;
}

/** The text of a file that `namedBy` names. Throws CONFIG_INVALID, which ends in `instead` and names no path that may be a text itself. */
export async function readNamedText(namedBy: string, path: string, instead = ''): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    const folder = dirname(resolve(path));
    const where = existsSync(folder) ? ` in ${folder}` : '';
    const why = existsSync(path) ? `${path} cannot be read` : `there is no such file${where}`;
    throw new ReconcileError('CONFIG_INVALID', `${namedBy}: ${why} (${code})${instead}`);
  });
}
