import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder for the tests of one file; gone after them. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeAll(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'levelset-kube-'));
  });
  afterAll(() => {
    rmSync(folder.path, { recursive: true });
  });
  return folder;
}
