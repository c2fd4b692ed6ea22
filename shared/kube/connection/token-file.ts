import { readFile, stat } from 'node:fs/promises';
import { ReconcileError } from '../../model/errors.ts';
import type { CredentialSource } from './connection.ts';

/**
 * A bearer token in a file that somebody else rotates, such as the kubelet's projected ServiceAccount token. It is read
 * again when its mtime changes and after a 401. While the file cannot be read the last token counts, as in client-go.
 */
export function tokenFile(path: string): CredentialSource {
  let mtimeMs: number | undefined;
  let authorization: string | undefined;
  return async (refused) => {
    try {
      const changed = (await stat(path)).mtimeMs;
      if (refused || changed !== mtimeMs) {
        const token = (await readFile(path, 'utf8')).trim();
        if (token !== '') authorization = `Bearer ${token}`;
        mtimeMs = changed;
      }
    } catch (cause) {
      if (authorization === undefined) throw unreadable(path, (cause as NodeJS.ErrnoException).code);
    }
    if (authorization === undefined) throw unreadable(path, 'it is empty');
    return { authorization };
  };
}

function unreadable(path: string, why = 'unknown error'): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', `no token can be read from ${path}: ${why}`);
}
