import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ReconcileError } from '../model/errors.ts';
import { TEXTS, type EntrySource, type Texts } from './entry.ts';

/** A folder that changed so recently is still being written: half of it may be of before. */
const QUIET_MS = 2_000;
/** As large as a Secret can be. */
const LARGEST = 1_048_576;

/** An entry as it was at one moment. */
interface Moment {
  readonly folder: string;
  readonly changedAtMs: number;
}

/**
 * A folder with one folder for each cluster, which has one file for each text; a name that begins with a dot is neither. Files count
 * when nothing in the folder has changed for two seconds: whoever writes several of them one after the other is not met halfway. Where
 * Kubernetes mounts Secrets, folders or files lead into a `..data` that is replaced as a whole. A link that leads out of the folder is
 * refused: whoever may write entries may not use what else this process can read. A folder that had entries and has nothing at all any
 * more counts as one that cannot be read.
 */
export class FolderSource implements EntrySource {
  readonly #path: string;
  readonly #now: () => number;
  readonly #known = new Map<string, Texts>();

  /** @param now The time of day, in milliseconds. */
  constructor(path: string, now: () => number = () => Date.now()) {
    this.#path = path;
    this.#now = now;
  }

  async names(): Promise<readonly string[]> {
    const found = (await this.#list()).filter((name) => !name.startsWith('.'));
    const are = await Promise.all(found.map((name) => isFolder(join(this.#path, name))));
    if (are.includes(false)) await this.#list(); // throws where the registry itself went meanwhile
    const names = new Set(found.filter((_, index) => are[index]));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    return [...names];
  }

  async read(name: string): Promise<Texts | undefined> {
    const path = join(this.#path, name);
    const before = await this.#momentOf(path);
    if (before === undefined) {
      await this.#list(); // throws where the registry itself is gone, which says nothing of its entries
      this.#known.delete(name);
      return undefined;
    }
    // by the age of the files, which another machine's clock may have stamped as of later
    if (Math.abs(this.#now() - before.changedAtMs) < QUIET_MS) return this.#known.get(name);
    const texts = await this.#textsIn(before.folder);
    if (isDeepStrictEqual(await this.#momentOf(path), before)) this.#known.set(name, texts);
    return this.#known.get(name);
  }

  /** Throws where nothing at all is left: a mount that is gone leaves such a folder. */
  async #list(): Promise<readonly string[]> {
    const found = await readdir(this.#path).catch((cause: unknown) => {
      throw unreadable(this.#path, codeOf(cause));
    });
    if (found.length > 0 || this.#known.size === 0) return found;
    const had = `it is empty, and had ${this.#known.size} ${this.#known.size === 1 ? 'cluster' : 'clusters'}`;
    throw unreadable(
      this.#path,
      `${had}: mount it again, or put a file such as .none into it if no cluster is to be served any more`,
    );
  }

  /** Where the files of an entry are at this moment. Undefined: nowhere, or they are being replaced. */
  async #folderAt(path: string): Promise<string | undefined> {
    const own = await this.#realpath(path);
    const data = own && join(own, '..data');
    return data && (await ifThere(lstat(data))) ? this.#realpath(data) : own;
  }

  /** Throws for a link that leads out of the registry. */
  async #realpath(path: string): Promise<string | undefined> {
    const [root, real] = [await ifThere(realpath(this.#path)), await ifThere(realpath(path))];
    if (root !== undefined && real !== undefined && !real.startsWith(`${root}${sep}`))
      throw unreadable(path, `it leads out of ${this.#path}, and the files of an entry must be in it`);
    return real;
  }

  /** Undefined: there is no folder. */
  async #momentOf(path: string): Promise<Moment | undefined> {
    const folder = await this.#folderAt(path);
    if (folder === undefined) {
      if (await ifThere(lstat(path))) throw unreadable(path, 'its links lead nowhere');
      return undefined;
    }
    const own = await ifThere(stat(folder));
    if (!own?.isDirectory()) return undefined;
    const files = await Promise.all(TEXTS.map((text) => ifThere(stat(join(folder, text)))));
    const times = [own, ...files].flatMap((one) => (one ? [one.mtimeMs, one.ctimeMs] : []));
    return { folder, changedAtMs: Math.max(...times) };
  }

  async #textsIn(folder: string): Promise<Texts> {
    const read = TEXTS.map(async (text) => {
      const path = await this.#realpath(join(folder, text));
      return [text, path && (await ifThere(contentOf(path)))] as const;
    });
    return Object.fromEntries((await Promise.all(read)).filter(([, content]) => content !== undefined));
  }
}

/** What cannot be looked at is taken for a folder, as is a link that leads nowhere just now: reading it says why. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    async () => (await ifThere(lstat(path))) !== undefined,
  );
}

/** No pipe and no device holds the process up. */
async function contentOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw unreadable(path, 'it is not a file');
    if (found.size > LARGEST) throw unreadable(path, `it has more than ${LARGEST} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Undefined: there is nothing at the path. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((cause: unknown) => {
    if (cause instanceof ReconcileError) throw cause;
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause))) return undefined;
    throw unreadable((cause as NodeJS.ErrnoException).path ?? 'a file', codeOf(cause));
  });
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error';
}

function unreadable(path: string, why: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', `${path} cannot be read: ${why}`);
}
