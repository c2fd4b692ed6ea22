import { unwatchFile, watchFile } from 'node:fs';

/** A kubelet writes a changed Secret within a minute or so. */
export const LOOK_MS = 5_000;

/** Calls `changed` after one of the files has changed, until what it returns is called. */
export function onFileChange(paths: readonly string[], changed: () => void, everyMs = LOOK_MS): () => void {
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, changed);
  return () => {
    for (const path of paths) unwatchFile(path, changed);
  };
}
