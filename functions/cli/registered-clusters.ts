import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, EntrySource } from '../../shared/clusters/entry.ts';
import { Registry } from '../../shared/clusters/registry.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { NamedClusters } from '../../shared/gc/belongings.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import type { Log } from '../../shared/ports.ts';
import { connectEntry, ofCluster, uidOf, unidentified, CloudLogins } from '../clusters/connect-entry.ts';
import { sourceOf } from '../clusters/source-of.ts';
import type { Connected } from '../world.ts';
import { commandLog, misused } from './command.ts';

/** An entry that was changed a moment ago is read when it has been quiet for two seconds. */
const AGAIN_MS = 500;
const MOST_LOOKS = 10;
const ASKED_AT_ONCE = 20;
const MOST_NAMED = 20;

interface Registered extends Connected {
  readonly uid: () => Promise<string>;
}

export class RegisteredClusters {
  readonly #source: EntrySource;
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #logins = new CloudLogins();
  readonly #opened = new Map<string, string>();
  #before: Promise<unknown> = Promise.resolve();

  /** Throws CONFIG_INVALID. */
  static async of(flags: Flags, env: NodeJS.ProcessEnv): Promise<RegisteredClusters> {
    return new RegisteredClusters(await sourceOf(flags.clusters ?? '', { flags, env }), flags, env);
  }

  private constructor(source: EntrySource, flags: Flags, env: NodeJS.ProcessEnv) {
    this.#source = source;
    this.#registry = new Registry(source, { flags, env });
    this.#log = commandLog(flags);
  }

  /** The names of all entries in order. Throws CONFIG_INVALID if there is none. */
  async names(): Promise<readonly string[]> {
    try {
      const names = await this.#registry.names();
      if (names.length > 0) return names;
    } finally {
      await this.#source.stop?.(); // what changes from now on is for the next command
    }
    throw misused(
      '--clusters has no entry: add a folder, or a Secret, with kubeconfig and cloud.conf for each cluster',
    );
  }

  /** The name that --cluster gives, for a command that works on one. Throws CONFIG_INVALID that says which there are. */
  async one({ cluster = '' }: Flags): Promise<string> {
    const names = await this.names();
    if (names.includes(cluster)) return cluster;
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    const wrong =
      cluster === ''
        ? '--cluster is missing: this command works on one cluster'
        : `--cluster ${JSON.stringify(cluster)} is not an entry of --clusters`;
    throw misused(`${wrong}: give one of ${names.slice(0, MOST_NAMED).join(', ')}${more}`);
  }

  /** Connects a cluster and asks it nothing. Throws CONFIG_INVALID. */
  async connect(name: string): Promise<Registered> {
    const entry = await this.#entry(name);
    const connected = await connectEntry(entry, { log: this.#log, logins: this.#logins });
    return { ...connected, uid: () => uidOf(connected, entry.settings) };
  }

  /** Connects a cluster whose kube-apiserver has said which one it is. Throws if it has not, or if an earlier entry leads to the same. */
  open(name: string): Promise<Connected> {
    const before = this.#before;
    const opening = this.connect(name).then(async (connected) => {
      const uid = await connected.uid().catch((error: unknown) => {
        throw new Error(unidentified(error));
      });
      await before;
      const first = this.#opened.get(uid);
      if (first !== undefined)
        throw new Error(`it is the cluster of the entry ${first}, too: take one of the two away`);
      this.#opened.set(uid, name);
      return connected;
    });
    this.#before = Promise.allSettled([before, opening]);
    return opening;
  }

  async identified(): Promise<NamedClusters> {
    const names = await this.names();
    const uids = await inParallel(names, ASKED_AT_ONCE, (name) =>
      this.connect(name)
        .then(({ uid }) => uid())
        .catch(() => undefined),
    );
    return {
      entries: new Map(names.flatMap((name, at) => (uids[at] === undefined ? [] : [[uids[at], name]]))),
      silent: names.filter((_, at) => uids[at] === undefined),
    };
  }

  async #entry(name: string): Promise<Entry> {
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const reading = await this.#registry.read(name);
      if (reading) {
        const problems = reading.problems.map((problem) => problem.replace(`${name}: `, ''));
        if (!reading.entry) throw misused(problems.join('\n'));
        for (const problem of problems) ofCluster(this.#log, name).warn(problem);
        return reading.entry;
      }
      await sleep(AGAIN_MS);
    }
    throw misused(`the entry ${name} is gone, or still being written: run the command again`);
  }
}
