import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the lab keeps what outlives it (`infra/lab/kubernetes/lib.sh`). */
function cache(): string {
  const { LEVELSET_CACHE, XDG_CACHE_HOME = join(homedir(), '.cache') } = process.env;
  return LEVELSET_CACHE ?? join(XDG_CACHE_HOME, 'levelset');
}

/**
 * Lab files that have to run next time, whosever turn it is: they failed, or the run ended before them. Kept in a file
 * of the cache, a path a line; it is written after each file, so that a run that is cut off owes what it did not reach.
 */
export class OwedFiles {
  readonly #path: string;
  readonly #owed: Set<string>;

  constructor(path = join(cache(), 'lab-owed-files')) {
    this.#path = path;
    this.#owed = new Set(read(path).split('\n').filter(Boolean));
  }

  list(): readonly string[] {
    return [...this.#owed].sort();
  }

  add(files: readonly string[]): void {
    for (const file of files) this.#owed.add(file);
    this.#write();
  }

  remove(file: string): void {
    this.#owed.delete(file);
    this.#write();
  }

  #write(): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(
      this.#path,
      this.list()
        .map((file) => `${file}\n`)
        .join(''),
    );
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
