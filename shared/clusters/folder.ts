import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ReconcileError } from '../model/errors.ts';
import { TEXTS, type EntrySource, type Texts } from './entry.ts';

/** A kubelet writes a changed Secret within a minute or so. */
const KEEP_MS = 5_000;
/** A folder that changed so recently is still being written: half of it may be of before. */
const QUIET_MS = 2_000;
/** Nobody who writes a few files is met halfway so often. */
const MOST_RESTLESS = 12;
/** As large as a Secret can be. */
const LARGEST = 1_048_576;
/** How often a look begins again that was overtaken by a change. */
const MOST_LOOKS = 3;

/** A folder as it was at one moment. */
interface Stamp {
  readonly text: string;
  readonly changedAtMs: number;
}

/**
 * A folder with one folder for each cluster, which has one file for each text; a name that begins with a dot is neither. Files are
 * read again when their names or times of change differ, and nothing in the folder has changed for two seconds: whoever writes
 * several of them one after the other is not met halfway. Where Kubernetes mounts Secrets, folders or files lead into a `..data`
 * that is replaced as a whole. A link that leads out of the folder is refused: whoever may write entries may not use what else
 * this process can read. A folder that had entries and has nothing at all any more counts as one that cannot be read.
 */
export class FolderSource implements EntrySource {
  readonly keepMs = KEEP_MS;
  readonly #path: string;
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly stamp: string; readonly texts: Texts | undefined }>();
  /** Folders that were not quiet at the last looks. Their age goes by this clock, as that of the files may be another one. */
  readonly #restless = new Map<
    string,
    { readonly stamp: string; readonly atMs: number; readonly looks: number }
  >();

  /** @param now The time of day, in milliseconds. */
  constructor(path: string, now: () => number = () => Date.now()) {
    this.#path = path;
    this.#now = now;
  }

  async names(): Promise<readonly string[]> {
    const found = (await this.#list()).filter((name) => !name.startsWith('.'));
    const are = await Promise.all(found.map((name) => isFolder(join(this.#path, name))));
    const names = new Set(found.filter((_, index) => are[index]));
    for (const kept of [this.#known, this.#restless])
      for (const name of kept.keys()) if (!names.has(name)) kept.delete(name);
    return [...names];
  }

  async read(name: string): Promise<Texts | undefined> {
    const path = join(this.#path, name);
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const folder = await this.#folderAt(path);
      if (folder === undefined && (await ifThere(lstat(path))) === undefined) {
        await this.#list(); // throws where the registry itself is gone, which says nothing of its entries
        this.#known.delete(name);
        return undefined;
      }
      const stamp = folder === undefined ? undefined : await stampOf(folder);
      if (folder === undefined || stamp === undefined) continue;
      const known = this.#known.get(name);
      if (stamp.text !== known?.stamp && !this.#isQuiet(name, stamp)) return known?.texts;
      this.#restless.delete(name);
      if (stamp.text === known?.stamp) return known.texts;
      const texts = await this.#textsIn(folder);
      if ((await stampOf(folder))?.text !== stamp.text) continue;
      this.#known.set(name, { stamp: stamp.text, texts });
      return texts;
    }
    throw unreadable(path, 'it changes all the time, or its links lead nowhere');
  }

  #isQuiet(name: string, { text, changedAtMs }: Stamp): boolean {
    const now = this.#now();
    if (now - changedAtMs >= QUIET_MS) return true;
    const before = this.#restless.get(name);
    if (before?.stamp === text && now - before.atMs >= QUIET_MS) return true;
    const looks = (before?.looks ?? 0) + 1;
    if (looks > MOST_RESTLESS)
      throw unreadable(
        join(this.#path, name),
        'it changes again and again: write it once, or replace it whole',
      );
    this.#restless.set(name, { stamp: text, atMs: before?.stamp === text ? before.atMs : now, looks });
    return false;
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
      throw unreadable(path, `it leads out of ${this.#path}, and nothing outside is of an entry`);
    return real;
  }

  /** Undefined: this is no folder. */
  async #textsIn(folder: string): Promise<Texts | undefined> {
    const read = TEXTS.map(async (text) => {
      const path = await this.#realpath(join(folder, text));
      const content = path && (await ifThere(contentOf(path)));
      return [text, content] as const;
    });
    const found = (await Promise.all(read)).filter(([, content]) => content !== undefined);
    return found.length > 0 || (await isFolder(folder)) ? Object.fromEntries(found) : undefined;
  }
}

/** What cannot be looked at is taken for a folder, as is a link that leads nowhere just now: reading it says why. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    async () => (await ifThere(lstat(path))) !== undefined,
  );
}

/** Undefined: the folder is no more. */
async function stampOf(folder: string): Promise<Stamp | undefined> {
  const paths = [folder, ...TEXTS.map((text) => join(folder, text))];
  const [own, ...files] = await Promise.all(paths.map((path) => ifThere(stat(path, { bigint: true }))));
  if (own === undefined) return undefined;
  const all = [own, ...files];
  return {
    text: JSON.stringify([
      folder,
      ...all.map((one) => one && `${one.ino} ${one.size} ${one.mtimeNs} ${one.ctimeNs}`),
    ]),
    changedAtMs: Math.max(...all.map((one) => Number(one?.ctimeMs ?? 0))),
  };
}

/** No pipe and no device holds the process up. */
async function contentOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw unreadable(path, 'it is no file');
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
    if (isMissing(cause)) return undefined;
    throw unreadable((cause as NodeJS.ErrnoException).path ?? 'a file', codeOf(cause));
  });
}

function isMissing(cause: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(cause));
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error';
}

function unreadable(path: string, why: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', `${path} cannot be read: ${why}`);
}
