import type { Entry } from '../../shared/clusters/entry.ts';
import { Backoff, type Delays } from '../../shared/connection-backoff.ts';
import type { Connected } from '../world.ts';
import type { Registry } from '../../shared/clusters/registry.ts';
import { isSettledWithin } from '../../shared/deadline.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import { isThatOf, uidOf, unidentified } from './connect-entry.ts';

interface Served {
  stop(): Promise<void>;
}

/** An entry of the registry, from when it was first seen until its last run has ended. */
class FollowedEntry<S extends Served> {
  readonly name: string;
  /** As it was read last. */
  entry: Entry | undefined;
  /** What is wrong with its texts. */
  ofEntry: readonly string[] = [];
  /** Why it is not served as its texts say. */
  ofCluster: readonly string[] = [];
  told = '';
  /** The entry as it is now, and not served yet. */
  next: { readonly entry: Entry; connected: Connected | undefined } | undefined;
  served: { readonly settings: Entry['settings']; readonly its: S } | undefined;
  readonly backoff = new Backoff();
  unanswered = '';
  underWay: Promise<void> | undefined;
  isGone = false;
  ending: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get problems(): readonly string[] {
    return [...this.ofEntry, ...this.ofCluster];
  }
}

interface ConnectedClustersOptions<S extends Served> {
  readonly registry: Pick<Registry, 'names' | 'read'>;
  /** Sends nothing. Throws CONFIG_INVALID. */
  readonly connect: (entry: Entry) => Promise<Connected>;
  readonly begin: (entry: Entry, connected: Connected) => Promise<S>;
  readonly ended?: (name: string) => Promise<void>;
  readonly log: Log;
  readonly everyMs?: number;
}

const LOOK_MS = 5_000;
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };
/** So many entries are looked at at once, and each of them holds up others for so long at most. */
const ENTRIES_AT_ONCE = 20;
const PATIENCE_MS = 1_000;

/**
 * The clusters of a registry, each served from when its kube-apiserver says which it is until its entry is gone. None holds up another.
 * Of two entries with one UID the entry that names it is served, else the first that was served.
 */
export class ConnectedClusters<S extends Served> {
  readonly #options: ConnectedClustersOptions<S>;
  readonly #followed = new Map<string, FollowedEntry<S>>();
  /** Whose a cluster is, by its UID, for as long as the entry is there. */
  readonly #holders = new Map<string, FollowedEntry<S>>();
  #trouble: string | undefined;
  #wasRead = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ConnectedClustersOptions<S>) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.look();
    const again = (): void => {
      if (this.#isStopped) return;
      this.#timer = setTimeout(() => {
        this.look().then(again, again);
      }, this.#options.everyMs ?? LOOK_MS).unref();
    };
    again();
  }

  get(name: string): S | undefined {
    return this.#followed.get(name)?.served?.its;
  }

  /** The entry that counts, also of a cluster that is not served yet. */
  entryOf(name: string): Entry | undefined {
    return this.#followed.get(name)?.entry;
  }

  get names(): readonly string[] {
    const there = [...this.#followed.values()].filter(({ isGone }) => !isGone);
    return there.map(({ name }) => name).sort();
  }

  /** Why the registry could not be read. Nothing is gone for that. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get wasRead(): boolean {
    return this.#wasRead;
  }

  problemsOf(name: string): readonly string[] {
    return this.#followed.get(name)?.problems ?? [];
  }

  /** True while no cluster is being connected, replaced or ended. */
  get idle(): boolean {
    return this.#looking === undefined && [...this.#followed.values()].every(({ underWay }) => !underWay);
  }

  /** Looks at the registry now. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all([...this.#followed.values()].map((followed) => this.#end(followed)));
  }

  async #look(): Promise<void> {
    const { registry, log } = this.#options;
    let names: readonly string[];
    try {
      names = await registry.names();
    } catch (error) {
      const reason = errorText(error);
      if (reason !== this.#trouble)
        log.warn(
          'the registry of clusters cannot be read: levelset goes on with the clusters that it read last',
          { reason },
        );
      this.#trouble = reason;
      await this.#serveAll(this.names);
      return;
    }
    this.#trouble = undefined;
    this.#wasRead = true;
    for (const followed of this.#followed.values()) if (!names.includes(followed.name)) this.#drop(followed);
    await inParallel(names, ENTRIES_AT_ONCE, (name) =>
      this.#lookAt(name, (followed) => this.#read(followed)),
    );
    await this.#serveAll(names); // when it is known which entries name a UID
  }

  async #serveAll(names: readonly string[]): Promise<void> {
    await inParallel(names, ENTRIES_AT_ONCE, (name) =>
      this.#lookAt(name, async (followed) => {
        if (followed.next) this.#tell(followed, await this.#identify(followed));
      }),
    );
  }

  async #lookAt(name: string, look: (followed: FollowedEntry<S>) => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    const followed = this.#followed.get(name) ?? new FollowedEntry<S>(name);
    if (followed.isGone || followed.underWay) return;
    this.#followed.set(name, followed);
    const looking = look(followed).catch((error: unknown) => {
      this.#tell(followed, [`${followed.name}: ${errorText(error)}`]);
    });
    followed.underWay = looking.finally(() => {
      followed.underWay = undefined;
    });
    await isSettledWithin(followed.underWay, PATIENCE_MS);
  }

  async #read(followed: FollowedEntry<S>): Promise<void> {
    const reading = await this.#options.registry.read(followed.name);
    if (followed.isGone || (!reading && !followed.entry)) return; // it is gone by now, or just being written
    const { entry, problems } = reading ?? { problems: [`${followed.name}: the entry is gone`] };
    followed.entry = entry;
    followed.ofEntry = problems;
    const isAsServed = entry && followed.served?.settings === entry.settings;
    if (!entry || isAsServed) followed.next = undefined;
    else if (followed.next?.entry.settings !== entry.settings) {
      followed.next = { entry, connected: undefined };
      followed.backoff.end();
    }
    if (!followed.next) this.#tell(followed, []);
    if (!entry) await this.#endServed(followed); // its runs may take their time
  }

  /** Connects as the entry says, asks which cluster it is, and serves it. Returns why it does not. */
  async #identify(followed: FollowedEntry<S>): Promise<readonly string[]> {
    const { next } = followed;
    if (!next) return [];
    if (!followed.backoff.isOver) return [followed.unanswered];
    const { entry } = next;
    const connected = (next.connected ??= await this.#options.connect(entry));
    let uid: string;
    try {
      uid = await uidOf(connected, entry.settings);
    } catch (error) {
      followed.backoff.begin(OF_NO_ANSWER);
      followed.unanswered = `${followed.name}: ${unidentified(error)}`;
      return [followed.unanswered];
    }
    followed.backoff.end();
    const holder = this.#holderOf(uid, followed) ?? followed;
    if (holder !== followed) return [isThatOf(followed.name, holder.name)];
    const isNew = !this.#holders.has(uid);
    this.#holders.set(uid, followed);
    await this.#endServed(followed);
    if (followed.isGone) return [];
    const its = await this.#options.begin(entry, connected).catch((error: unknown) => {
      followed.unanswered = `${followed.name}: ${errorText(error)}`;
      if (isNew) this.#holders.delete(uid);
      followed.backoff.begin(OF_NO_ANSWER);
      return undefined;
    });
    if (!its) return [followed.unanswered];
    this.#release(followed, uid);
    followed.served = { settings: entry.settings, its };
    followed.next = undefined;
    this.#options.log.info('the cluster is served', { cluster: followed.name, uid });
    return [];
  }

  /** The entry that has a cluster, or else another one that names its UID. */
  #holderOf(uid: string, asking: FollowedEntry<S>): FollowedEntry<S> | undefined {
    const others = [...this.#followed.values()].filter((followed) => followed !== asking);
    return this.#holders.get(uid) ?? others.find(({ entry }) => entry?.settings.uid === uid);
  }

  #release(followed: FollowedEntry<S>, kept?: string): void {
    for (const [uid, holder] of this.#holders)
      if (holder === followed && uid !== kept) this.#holders.delete(uid);
  }

  async #endServed(followed: FollowedEntry<S>): Promise<void> {
    const { served } = followed;
    followed.served = undefined;
    await served?.its.stop();
  }

  #drop(followed: FollowedEntry<S>): void {
    if (followed.isGone) return;
    followed.isGone = true;
    followed.entry = undefined; // its tokens open nothing while its last runs end
    const { log } = this.#options;
    log.info('the cluster left the registry: levelset stops its work and deletes nothing in OpenStack', {
      cluster: followed.name,
    });
    this.#end(followed).catch((error: unknown) => {
      log.error('the work on a cluster that left the registry did not stop', {
        cluster: followed.name,
        error: errorText(error),
      });
    });
  }

  #end(followed: FollowedEntry<S>): Promise<void> {
    followed.ending ??= this.#endOnce(followed);
    return followed.ending;
  }

  async #endOnce(followed: FollowedEntry<S>): Promise<void> {
    followed.isGone = true;
    await followed.underWay;
    await this.#endServed(followed);
    this.#release(followed);
    await this.#options.ended?.(followed.name);
    this.#followed.delete(followed.name);
  }

  #tell(followed: FollowedEntry<S>, ofCluster: readonly string[]): void {
    if (followed.isGone) return;
    followed.ofCluster = ofCluster;
    const { problems } = followed;
    const isNew = problems.join('\n') !== followed.told;
    followed.told = problems.join('\n');
    if (!isNew || problems.length === 0) return;
    this.#options.log.warn(
      followed.served
        ? 'the entry of a cluster cannot be used: levelset goes on with the one before'
        : 'a cluster is not served',
      { cluster: followed.name, problems },
    );
  }
}
