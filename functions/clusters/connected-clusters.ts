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
class Slot<S extends Served> {
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
const AT_ONCE = 20;
const PATIENCE_MS = 1_000;

/**
 * The clusters of a registry, each served from when its kube-apiserver says which it is until its entry is gone. None holds up another.
 * Of two entries with one UID the entry that names it is served, else the first that was served.
 */
export class ConnectedClusters<S extends Served> {
  readonly #options: ConnectedClustersOptions<S>;
  readonly #slots = new Map<string, Slot<S>>();
  /** Whose a cluster is, by its UID, for as long as the entry is there. */
  readonly #holders = new Map<string, Slot<S>>();
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
    return this.#slots.get(name)?.served?.its;
  }

  /** The entry that counts, also of a cluster that is not served yet. */
  entryOf(name: string): Entry | undefined {
    return this.#slots.get(name)?.entry;
  }

  get names(): readonly string[] {
    const there = [...this.#slots.values()].filter(({ isGone }) => !isGone);
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
    return this.#slots.get(name)?.problems ?? [];
  }

  /** True while no cluster is being connected, replaced or ended. */
  get idle(): boolean {
    return this.#looking === undefined && [...this.#slots.values()].every(({ underWay }) => !underWay);
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
    await Promise.all([...this.#slots.values()].map((slot) => this.#end(slot)));
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
    for (const slot of this.#slots.values()) if (!names.includes(slot.name)) this.#drop(slot);
    await inParallel(names, AT_ONCE, (name) => this.#lookAt(name, (slot) => this.#read(slot)));
    await this.#serveAll(names); // when it is known which entries name a UID
  }

  async #serveAll(names: readonly string[]): Promise<void> {
    await inParallel(names, AT_ONCE, (name) =>
      this.#lookAt(name, async (slot) => {
        if (slot.next) this.#tell(slot, await this.#identify(slot));
      }),
    );
  }

  async #lookAt(name: string, look: (slot: Slot<S>) => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    const slot = this.#slots.get(name) ?? new Slot<S>(name);
    if (slot.isGone || slot.underWay) return;
    this.#slots.set(name, slot);
    const looking = look(slot).catch((error: unknown) => {
      this.#tell(slot, [`${slot.name}: ${errorText(error)}`]);
    });
    slot.underWay = looking.finally(() => {
      slot.underWay = undefined;
    });
    await isSettledWithin(slot.underWay, PATIENCE_MS);
  }

  async #read(slot: Slot<S>): Promise<void> {
    const reading = await this.#options.registry.read(slot.name);
    if (slot.isGone || (!reading && !slot.entry)) return; // it is gone by now, or just being written
    const { entry, problems } = reading ?? { problems: [`${slot.name}: its texts are gone`] };
    slot.entry = entry;
    slot.ofEntry = problems;
    const isAsServed = entry && slot.served?.settings === entry.settings;
    if (!entry || isAsServed) slot.next = undefined;
    else if (slot.next?.entry.settings !== entry.settings) {
      slot.next = { entry, connected: undefined };
      slot.backoff.end();
    }
    if (!slot.next) this.#tell(slot, []);
    if (!entry) await this.#endServed(slot); // its runs may take their time
  }

  /** Connects as the entry says, asks which cluster it is, and serves it. Returns why it does not. */
  async #identify(slot: Slot<S>): Promise<readonly string[]> {
    const { next } = slot;
    if (!next) return [];
    if (!slot.backoff.isOver) return [slot.unanswered];
    const { entry } = next;
    const connected = (next.connected ??= await this.#options.connect(entry));
    let uid: string;
    try {
      uid = await uidOf(connected, entry.settings);
    } catch (error) {
      slot.backoff.begin(OF_NO_ANSWER);
      slot.unanswered = `${slot.name}: ${unidentified(error)}`;
      return [slot.unanswered];
    }
    slot.backoff.end();
    const holder = this.#holderOf(uid, slot) ?? slot;
    if (holder !== slot) return [isThatOf(slot.name, holder.name)];
    const isNew = !this.#holders.has(uid);
    this.#holders.set(uid, slot);
    await this.#endServed(slot);
    if (slot.isGone) return [];
    const its = await this.#options.begin(entry, connected).catch((error: unknown) => {
      slot.unanswered = `${slot.name}: ${errorText(error)}`;
      if (isNew) this.#holders.delete(uid);
      slot.backoff.begin(OF_NO_ANSWER);
      return undefined;
    });
    if (!its) return [slot.unanswered];
    this.#release(slot, uid);
    slot.served = { settings: entry.settings, its };
    slot.next = undefined;
    this.#options.log.info('the cluster is served', { cluster: slot.name, uid });
    return [];
  }

  /** The entry that has a cluster, or else another one that names its UID. */
  #holderOf(uid: string, asking: Slot<S>): Slot<S> | undefined {
    const others = [...this.#slots.values()].filter((slot) => slot !== asking);
    return this.#holders.get(uid) ?? others.find(({ entry }) => entry?.settings.uid === uid);
  }

  #release(slot: Slot<S>, kept?: string): void {
    for (const [uid, holder] of this.#holders) if (holder === slot && uid !== kept) this.#holders.delete(uid);
  }

  async #endServed(slot: Slot<S>): Promise<void> {
    const { served } = slot;
    slot.served = undefined;
    await served?.its.stop();
  }

  #drop(slot: Slot<S>): void {
    if (slot.isGone) return;
    slot.isGone = true;
    slot.entry = undefined; // its tokens open nothing while its last runs end
    const { log } = this.#options;
    log.info('the cluster left the registry: levelset stops its work and deletes nothing in OpenStack', {
      cluster: slot.name,
    });
    this.#end(slot).catch((error: unknown) => {
      log.error('the work on a cluster that left the registry did not stop', {
        cluster: slot.name,
        error: errorText(error),
      });
    });
  }

  #end(slot: Slot<S>): Promise<void> {
    slot.ending ??= this.#endOnce(slot);
    return slot.ending;
  }

  async #endOnce(slot: Slot<S>): Promise<void> {
    slot.isGone = true;
    await slot.underWay;
    await this.#endServed(slot);
    this.#release(slot);
    await this.#options.ended?.(slot.name);
    this.#slots.delete(slot.name);
  }

  #tell(slot: Slot<S>, ofCluster: readonly string[]): void {
    if (slot.isGone) return;
    slot.ofCluster = ofCluster;
    const { problems } = slot;
    const isNew = problems.join('\n') !== slot.told;
    slot.told = problems.join('\n');
    if (!isNew || problems.length === 0) return;
    this.#options.log.warn(
      slot.served
        ? 'the entry of a cluster cannot be used: levelset goes on with the one before'
        : 'a cluster is not served',
      { cluster: slot.name, problems },
    );
  }
}
