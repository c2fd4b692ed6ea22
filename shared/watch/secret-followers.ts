import { corePath } from '../kube/kube-objects.ts';
import type { Service } from '../model/kubernetes.ts';
import type { Key } from '../model/request.ts';
import type { WatchView } from '../report/page.ts';
import { keyOfService, secretsOfService } from '../trigger/keys-from-objects.ts';
import { Follower, type Changed, type Following } from './follower.ts';

/** A watch is a connection to the apiserver each. */
const MOST = 100;
/** Those above the limit are asked about once a minute, and no more than one in a second. */
const POLL_MS = 60_000;
const POLLS_APART_MS = 1_000;

/** Other limits, for tests. */
export interface SecretLimits {
  readonly most?: number;
  readonly pollMs?: number;
}

interface Followed {
  readonly follower: Follower<'Metadata'>;
  /** The Services that take a certificate from the Secret. */
  readonly users: Set<Key>;
}

/**
 * The Secrets of which Services take certificates, each followed by its name alone, so that a Role can name it, and as
 * metadata. Where the right is missing, the next sweep finds what changed.
 */
export class SecretFollowers {
  readonly #following: Following;
  readonly #changed: Changed;
  /** By namespace and name. */
  readonly #followed = new Map<string, Followed>();
  /** Those that have a watch; the others are polled until one of these leaves. */
  readonly #watched = new Set<string>();
  readonly #most: number;
  readonly #pollMs: number;
  readonly #namesOf = new Map<Key, readonly string[]>();
  #isComplete = false;
  #hasTrouble = false;

  constructor(following: Following, changed: Changed, { most = MOST, pollMs = POLL_MS }: SecretLimits = {}) {
    const { log } = following;
    this.#most = most;
    this.#pollMs = pollMs;
    this.#following = {
      ...following,
      log: {
        ...log,
        // one line for all of them
        warn: (message, fields) => {
          if (!this.#hasTrouble) log.warn(message, fields);
          this.#hasTrouble = true;
        },
        info: (message, fields) => {
          this.#hasTrouble = this.#troubles().length > 0;
          if (!this.#hasTrouble) log.info(message, fields);
        },
      },
    };
    this.#changed = changed;
  }

  /** Follows what a Service names now, and no more what it named before. */
  note(service: Service): void {
    const key = keyOfService(service);
    const { namespace } = service.metadata;
    const names = secretsOfService(service).map((name) => `${namespace}/${name}`);
    for (const name of this.#namesOf.get(key) ?? []) if (!names.includes(name)) this.#leave(name, key);
    if (names.length === 0) this.#namesOf.delete(key);
    else this.#namesOf.set(key, names);
    for (const name of names) this.#join(name, key);
  }

  forget(key: Key): void {
    for (const name of this.#namesOf.get(key) ?? []) this.#leave(name, key);
    this.#namesOf.delete(key);
  }

  /** From now on a Secret that is followed anew is news: its Services may have been read before. */
  complete(): void {
    this.#isComplete = true;
  }

  /** One line for all of them; undefined without any. */
  view(): WatchView | undefined {
    if (this.#namesOf.size === 0) return undefined;
    const [trouble] = this.#troubles();
    return { name: 'Secrets', ...(trouble === undefined ? {} : { trouble }) };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ follower }) => follower.stop()));
  }

  #troubles(): readonly string[] {
    const found = [...this.#followed.values()].flatMap(({ follower }) => follower.view().trouble ?? []);
    const { size } = this.#followed;
    const tooMany = `${size - this.#most} of ${size} Secrets are polled and not watched: ${this.#most} is the most`;
    return size > this.#most ? [...found, tooMany] : found;
  }

  #join(name: string, key: Key): void {
    const known = this.#followed.get(name);
    if (known) known.users.add(key);
    else this.#follow(name, new Set([key]));
  }

  #leave(name: string, key: Key): void {
    const followed = this.#followed.get(name);
    followed?.users.delete(key);
    if (followed?.users.size !== 0) return;
    this.#followed.delete(name);
    followed.follower.stop().catch(() => undefined);
    if (!this.#watched.delete(name)) return;
    const next = [...this.#followed.keys()].find((one) => !this.#watched.has(one));
    if (next !== undefined) this.#watched.add(next);
  }

  #follow(path: string, users: Set<Key>): void {
    const [namespace = '', name = ''] = path.split('/');
    const isNews = this.#isComplete;
    if (this.#watched.size < this.#most) this.#watched.add(path);
    const pollMs = (): number =>
      Math.max(this.#pollMs, POLLS_APART_MS * (this.#followed.size - this.#watched.size));
    const follower = new Follower<'Metadata'>(
      {
        name: `Secret ${path}`,
        path: corePath('secrets', namespace),
        fieldSelector: `metadata.name=${name}`,
        kind: 'Metadata',
        signOf: ({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`,
        changed: () => {
          this.#changed([...users]);
        },
        pollMs: () => (this.#watched.has(path) ? undefined : pollMs()),
        listed: () => {
          if (isNews) this.#changed([...users]);
        },
      },
      this.#following,
    );
    this.#followed.set(path, { follower, users });
    follower.start();
  }
}
