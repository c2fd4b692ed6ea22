import { corePath } from '../kube/kube-objects.ts';
import type { Service } from '../model/kubernetes.ts';
import type { Key } from '../model/request.ts';
import type { WatchView } from '../report/page.ts';
import { keyOfService, secretsOfService } from '../trigger/keys-from-objects.ts';
import { Follower, type Changed, type Following } from './follower.ts';

const MOST = 100;

interface Followed {
  /** Absent while there are too many others. */
  follower?: Follower<'Metadata'>;
  /** The Services that take a certificate from the Secret. */
  readonly users: Set<Key>;
}

/**
 * The Secrets of which Services take certificates, each followed by its name alone, so that a Role can name it. Of
 * one too many the next sweep tells.
 */
export class SecretFollowers {
  readonly #following: Following;
  readonly #changed: Changed;
  readonly #followed = new Map<string, Followed>();
  readonly #most: number;
  readonly #namesOf = new Map<Key, readonly string[]>();
  #isComplete = false;
  #hasTrouble = false;

  constructor(following: Following, changed: Changed, most = MOST) {
    const { log } = following;
    this.#most = most;
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
    await Promise.all([...this.#followed.values()].map(async ({ follower }) => follower?.stop()));
  }

  #troubles(): readonly string[] {
    const found = [...this.#followed.values()].flatMap(({ follower }) => follower?.view().trouble ?? []);
    const { size } = this.#followed;
    const tooMany = `${size - this.#most} of ${size} Secrets wait for the sweep: ${this.#most} are watched at the most`;
    return size > this.#most ? [...found, tooMany] : found;
  }

  #join(name: string, key: Key): void {
    const known = this.#followed.get(name);
    if (known) known.users.add(key);
    else this.#followed.set(name, { users: new Set([key]) });
    this.#watchMore();
  }

  #leave(name: string, key: Key): void {
    const followed = this.#followed.get(name);
    followed?.users.delete(key);
    if (followed?.users.size !== 0) return;
    this.#followed.delete(name);
    followed.follower?.stop().catch(() => undefined);
    this.#watchMore();
  }

  #watchMore(): void {
    const first = [...this.#followed].slice(0, this.#most);
    for (const [path, followed] of first) followed.follower ??= this.#follow(path, followed.users);
  }

  #follow(path: string, users: ReadonlySet<Key>): Follower<'Metadata'> {
    const [namespace = '', name = ''] = path.split('/');
    const isNews = this.#isComplete;
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
        listed: () => {
          if (isNews) this.#changed([...users]);
        },
      },
      this.#following,
    );
    follower.start();
    return follower;
  }
}
