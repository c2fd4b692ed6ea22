import { stat } from 'node:fs/promises';
import { readNamedFile } from '../../named-file.ts';
import type { CredentialSource } from './connection.ts';

/** A text that somebody else may replace. `refused`: the last one did not do. */
export type RotatedText = (refused: boolean) => Promise<string>;

/**
 * The text of a file that somebody else rotates, read again when its mtime changes and when it was refused. While
 * that fails the last text counts, as in client-go.
 */
export function rotatedFile(path: string, read: () => Promise<string>): RotatedText {
  let mtimeMs: number | undefined;
  let text: string | undefined;
  return async (refused) => {
    const changed = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (text !== undefined && !refused && changed === mtimeMs) return text;
    try {
      text = await read();
      mtimeMs = changed;
    } catch (error) {
      if (text === undefined) throw error;
    }
    return text;
  };
}

export function tokenFile(namedBy: string, path: string): CredentialSource {
  const token = rotatedFile(path, async () => (await readNamedFile(namedBy, path)).trim());
  return async (refused) => ({ authorization: `Bearer ${await token(refused)}` });
}
