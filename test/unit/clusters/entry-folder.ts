import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Texts } from '../../../shared/clusters/entry.ts';

/** A folder of clusters, and a clock that says that nobody has written into it lately. */
export interface EntryFolder {
  readonly path: string;
  readonly now: () => number;
  /** Writes these texts of an entry, and leaves its other ones. */
  write(name: string, texts: Texts): void;
  /** The time passes in which what was read counts, and in which a folder is still being written. */
  later(): void;
}

export function entryFolder(): EntryFolder {
  const path = mkdtempSync(join(tmpdir(), 'levelset-clusters-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true });
  });
  let atMs = Date.now();
  return {
    path,
    now: () => atMs,
    write: (name, texts) => {
      mkdirSync(join(path, name), { recursive: true });
      for (const [text, content] of Object.entries(texts)) writeFileSync(join(path, name, text), content);
    },
    later: () => (atMs = Math.max(atMs, Date.now()) + 6_000),
  };
}
