import { readFile } from 'node:fs/promises';
import { ReconcileError } from './model/errors.ts';

/**
 * The text of a file that a flag or a variable names. Throws CONFIG_INVALID, which says who named it. A file that is empty is still
 * being written, and TLS would take it for no certificate, or for every CA.
 */
export async function readNamedFile(namedBy: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ReconcileError('CONFIG_INVALID', `${namedBy}: ${path} cannot be read: ${code}`, { cause });
  });
  if (text.trim() === '') throw new ReconcileError('CONFIG_INVALID', `${namedBy}: ${path} is empty`);
  return text;
}
