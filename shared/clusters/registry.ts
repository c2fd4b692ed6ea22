import { isDeepStrictEqual } from 'node:util';
import { errorText, ReconcileError } from '../model/errors.ts';
import { isClusterName } from '../model/request.ts';
import type { Tokens } from '../config/tokens.ts';
import { readEntryTokens } from './entry.ts';
import type { Entry, EntryReading, Settings, EntrySource, Texts } from './entry.ts';
import { OF_SETTINGS, readSettings, type Deployment } from './read-settings.ts';

interface Kept {
  readonly texts: Texts;
  /** The last settings that could be used, with the texts that they were made of. */
  readonly good?: { readonly texts: Texts; readonly settings: Settings };
  readonly tokens: Tokens;
  readonly reading: EntryReading;
}

/**
 * Which clusters a deployment serves. It looks when it is asked, and has no timers: whoever wants to see changes asks again, and
 * compares. While a text cannot be used, what could be used last counts; a text that is gone does not, since it may have been
 * taken away for a reason.
 *
 * Kubeconfig, cloud.conf, flags and PEM texts count together, so that none of them ever meets one of another time. Tokens count
 * by themselves: one that was taken away opens nothing, whatever is wrong beside it.
 */
export class Registry {
  readonly #source: EntrySource;
  readonly #deployment: Deployment;
  readonly #kept = new Map<string, Kept>();

  constructor(source: EntrySource, deployment: Deployment) {
    this.#source = source;
    this.#deployment = deployment;
  }

  /**
   * The names of all entries in order, broken ones among them. Throws CONFIG_INVALID while the registry cannot be read: that says
   * nothing of what is there, so who knew clusters before goes on with them.
   */
  async names(): Promise<readonly string[]> {
    const names = new Set(await this.#source.names());
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name);
    return [...names].sort();
  }

  /**
   * One entry as it is now. Undefined: there is none, or it is just being written for the first
   * time. Never throws for what a text says, nor for a registry that cannot be read: both are problems, and what counted before
   * counts.
   */
  async read(name: string): Promise<EntryReading | undefined> {
    if (!isClusterName(name))
      return {
        problems: [`${JSON.stringify(name)} is not a name of a cluster: give a DNS label, such as prod-a`],
      };
    const before = this.#kept.get(name);
    try {
      const texts = await this.#source.read(name);
      if (texts === undefined) {
        this.#kept.delete(name);
        return undefined;
      }
      const isSame = before && isDeepStrictEqual(texts, before.texts);
      const next = isSame ? before : await this.#next(name, texts, before);
      this.#kept.set(name, next);
      return next.reading;
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
      const entry = before?.reading.entry;
      return { ...(entry && { entry }), problems: [`${name}: ${errorText(error)}`] };
    }
  }

  async #next(name: string, texts: Texts, before: Kept | undefined): Promise<Kept> {
    const problems: string[] = [];
    const good = await this.#settings(name, texts, before?.good, problems);
    const tokens = readEntryTokens(texts, before?.tokens, problems);
    const entry = good && { name, settings: good.settings, tokens };
    return {
      ...{ texts, tokens },
      ...(good && { good }),
      reading: {
        ...(entry && { entry: sameAs(before?.reading.entry, entry) }),
        problems: problems.map((problem) => `${name}: ${problem}`),
      },
    };
  }

  async #settings(
    name: string,
    texts: Texts,
    before: Kept['good'],
    problems: string[],
  ): Promise<Kept['good']> {
    const given = OF_SETTINGS.filter((text) => texts[text] !== undefined);
    const now: Texts = Object.fromEntries(given.map((text) => [text, texts[text]]));
    if (before && isDeepStrictEqual(now, before.texts)) return before;
    const settings = await readSettings(name, now, this.#deployment, problems);
    if (settings) return { texts: now, settings };
    const isWhole = Object.keys(before?.texts ?? {}).every((text) => text in now);
    return isWhole ? before : undefined;
  }
}

/** The entry of before if nothing that counts has changed. */
function sameAs(before: Entry | undefined, now: Entry): Entry {
  const isSame = before?.settings === now.settings && isDeepStrictEqual(before.tokens, now.tokens);
  return isSame ? before : now;
}
