/** Whatever people do to the files of an entry, and whenever somebody looks: what counts is what the files said at one time. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TextName, Texts } from '../../../shared/clusters/entry.ts';
import { FolderSource } from '../../../shared/clusters/folder.ts';
import { Registry } from '../../../shared/clusters/registry.ts';
import { entryFolder } from './entry-folder.ts';
import { cloudConf, kubeconfig, PEM } from './entry-texts.ts';

const BROKEN = 'broken: [';
const VALUES: Readonly<Partial<Record<TextName, readonly string[]>>> = {
  kubeconfig: [kubeconfig(), kubeconfig({ server: 'https://10.0.0.2:6443' }), BROKEN],
  'cloud.conf': [cloudConf(), cloudConf('[LoadBalancer]\nlb-method = SOURCE_IP'), BROKEN],
  flags: ['', 'drift=report', BROKEN],
  'ca-file': [PEM, BROKEN],
  'audit-tokens': ['audit-token-of-the-first-day', 'audit-token-of-the-second-day', 'broken'],
};
const NAMES = Object.keys(VALUES) as TextName[];
const isBroken = (text: string | undefined): boolean => text?.startsWith('broken') === true;

/** At most so many that no folder is called restless. */
const edits = fc.array(
  fc.record({
    what: fc.constantFrom('write', 'write', 'write', 'remove', 'remove all', 'replace'),
    text: fc.constantFrom(...NAMES),
    value: fc.nat(2),
    /** How much later somebody looks. Undefined: nobody does. */
    lookMs: fc.constantFrom(undefined, undefined, 0, 1_000, 2_500, 6_000),
  }),
  { minLength: 1, maxLength: 10 },
);

/** The files of the entry `a`. No two of its texts are of one size, as a time of change is as coarse as a clock of 4 ms. */
class Files {
  readonly #path: string;
  readonly #isMounted: boolean;
  /** The texts of the moment; another object after each change. */
  texts: Texts = {};
  #changes = 0;

  constructor(path: string, isMounted: boolean) {
    this.#path = path;
    this.#isMounted = isMounted;
  }

  change(what: string, text: TextName, value: string): void {
    const { [text]: before, ...others } = this.texts;
    if (what === 'remove' && before === undefined) return;
    this.#changes += 1;
    if (what === 'remove all') this.texts = {};
    else if (what === 'remove') this.texts = others;
    else this.texts = { ...this.texts, [text]: value.padEnd(2_000 + this.#changes) };
    const folder = join(this.#path, 'a');
    if (what === 'remove all') rmSync(folder, { recursive: true, force: true });
    else if (this.#isMounted) this.#mount(folder);
    else if (what === 'replace') {
      const fresh = join(this.#path, '.fresh');
      this.#write(fresh, this.texts);
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
    } else if (what === 'remove') rmSync(join(folder, text));
    else this.#write(folder, { [text]: this.texts[text] ?? '' });
  }

  #write(folder: string, texts: Texts): void {
    mkdirSync(folder, { recursive: true });
    for (const [text, content] of Object.entries(texts)) writeFileSync(join(folder, text), content);
  }

  /** As a kubelet does, which has the names in the folder lead into `..data`. */
  #mount(folder: string): void {
    const generation = `..${this.#changes}`;
    this.#write(join(folder, generation), this.texts);
    const before = readdirSync(folder).filter((name) => name !== '..data' && name !== generation);
    symlinkSync(generation, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    for (const name of before) rmSync(join(folder, name), { recursive: true });
    for (const text of Object.keys(this.texts)) symlinkSync(`..data/${text}`, join(folder, text));
  }
}

/** What must count after each look, whatever the program does. */
class Model {
  settings: Texts | undefined;
  token: string | undefined;
  #taken: Texts = {};
  /** What is no entry is asked for each time. */
  #isTaken = false;
  #seen: { readonly texts: Texts; readonly atMs: number } | undefined;
  #lookedAtMs = -Infinity;

  look(texts: Texts, isThere: boolean, atMs: number): void {
    const isKept = this.#isTaken && atMs - this.#lookedAtMs < 5_000;
    if (isKept) return;
    this.#lookedAtMs = atMs;
    if (!isThere) this.#take({}, false);
    else if (texts === this.#taken) this.#seen = undefined;
    else if (this.#seen?.texts === texts && atMs - this.#seen.atMs >= 2_000) this.#take(texts);
    else if (this.#seen?.texts !== texts) this.#seen = { texts, atMs };
  }

  #take(texts: Texts, isThere = true): void {
    this.#isTaken = isThere;
    this.#taken = texts;
    this.#seen = undefined;
    const { 'audit-tokens': token, ...settings } = texts;
    const isGood = settings.kubeconfig !== undefined && settings['cloud.conf'] !== undefined;
    if (isGood && !Object.values(settings).some(isBroken)) this.settings = settings;
    else if (Object.keys(this.settings ?? {}).some((name) => !(name in settings))) this.settings = undefined;
    if (!isBroken(token)) this.token = token?.trim();
  }
}

test.each([
  ['files that somebody writes', false],
  ['a Secret that Kubernetes mounts', true],
])('%s', async (_what, isMounted) => {
  await fc.assert(
    fc.asyncProperty(edits, async (steps) => {
      const { path } = entryFolder();
      let atMs = 0; // long before the files were written, so that a change is known by looking twice alone
      const registry = new Registry(new FolderSource(path, () => atMs), { flags: {}, env: {} }, () => atMs);
      const files = new Files(path, isMounted);
      mkdirSync(join(path, 'b')); // with a alone its end would be that of all
      const model = new Model();
      const look = async (afterMs: number) => {
        atMs += afterMs;
        model.look(files.texts, existsSync(join(path, 'a')), atMs);
        const entry = (await registry.read('a'))?.entry;
        const env = entry?.settings.env ?? {};
        const { flags: _flags, ...texts } = model.settings ?? {};
        expect(Object.values(env).sort()).toEqual(Object.values(texts).sort());
        expect(entry?.settings.flags.drift).toBe(model.settings?.flags?.split('=')[1]?.trim());
        expect(entry?.tokens.auditTokens ?? []).toEqual(model.settings && model.token ? [model.token] : []);
      };
      for (const text of ['kubeconfig', 'cloud.conf'] as const)
        files.change('write', text, VALUES[text]?.[0] ?? '');
      await look(0);
      await look(2_000);
      for (const { what, text, value, lookMs } of steps) {
        files.change(what, text, VALUES[text]?.[value] ?? BROKEN);
        if (lookMs !== undefined) await look(lookMs);
      }
      await look(6_000);
      await look(6_000);
      const fresh = new Registry(new FolderSource(path, () => Infinity), { flags: {}, env: {} });
      const [now, then] = [await registry.read('a'), await fresh.read('a')];
      expect(now?.problems).toEqual(then?.problems);
      if (then?.problems.length === 0) expect(now).toEqual(then);
    }),
    { numRuns: 30 },
  );
});
