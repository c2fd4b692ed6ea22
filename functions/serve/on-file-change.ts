import { unwatchFile, watchFile } from 'node:fs';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';

/** Where it is told that files were read again, and how often they are looked at. */
export interface FileLook {
  readonly log: Log;
  readonly everyMs?: number;
}

/** A kubelet writes a changed Secret within a minute or so. */
const LOOK_MS = 5_000;

/**
 * Calls `read` after one of the files has changed, until what it returns is called. `read` throws while the files cannot be
 * used, and leaves what it read last.
 *
 * @param what What is in the files, in the plural.
 */
export function onFileChange(
  what: string,
  paths: readonly string[],
  read: () => Promise<void>,
  { log, everyMs = LOOK_MS }: FileLook,
): () => void {
  const changed = (): void => {
    read().then(
      () => {
        log.info(`the ${what} were read again`, { files: paths });
      },
      (error: unknown) => {
        const reason = errorText(error);
        log.warn(`the last ${what} count: the files that changed cannot be used`, { files: paths, reason });
      },
    );
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
