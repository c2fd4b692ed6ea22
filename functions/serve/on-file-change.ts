import { unwatchFile, watchFile } from 'node:fs';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';

export interface FileLook {
  readonly log: Log;
  readonly everyMs?: number;
}

/** A kubelet writes a changed Secret within a minute or so. */
const LOOK_MS = 5_000;

/** Calls `read` after a file changed, until stopped; it throws while the files cannot be used. `what`: what is in them, in the plural. */
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
        log.warn(`the changed files cannot be used: levelset goes on with the ${what} that it read before`, {
          files: paths,
          reason,
        });
      },
    );
  };
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
