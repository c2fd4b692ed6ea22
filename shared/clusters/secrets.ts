import { isSettledWithin } from '../deadline.ts';
import { corePath } from '../kube/kube-objects.ts';
import { ReconcileError } from '../model/errors.ts';
import type { ObjectMeta } from '../model/kubernetes.ts';
import { Follower, type Following } from '../watch/follower.ts';
import { TEXTS, type EntrySource, type Texts } from './entry.ts';

/** The label by which a Secret is an entry; its value is the entry's name. */
const CLUSTER_LABEL = 'levelset.openstack.org/cluster';
/** So long the first who asks waits for the first list, or for its failure. */
const FIRST_LIST_MS = 5_000;

interface Secret {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>> | null;
}

interface Kept {
  readonly name: string;
  readonly texts: Texts;
}

/**
 * The Secrets of a namespace that have the label: each is an entry, whose name is the value of the label, and whose texts have the
 * names of its keys. A list and a watch follow them. While the kube-apiserver does not answer, nothing is known to be gone.
 */
export class SecretsSource implements EntrySource {
  readonly #follower: Follower<'Secret'>;
  #isListed = false;
  readonly #tried = Promise.withResolvers<undefined>();
  /** By the name of the Secret. */
  readonly #kept = new Map<string, Kept>();

  constructor(namespace: string, following: Pick<Following, 'http' | 'watch'>) {
    this.#follower = new Follower<'Secret'>(
      {
        name: `Secrets with the label ${CLUSTER_LABEL} in ${namespace}`,
        kind: 'Secret',
        path: corePath('secrets', namespace),
        labelSelector: CLUSTER_LABEL,
        signOf: ({ metadata, data }) => {
          this.#kept.set(metadata.name, {
            name: metadata.labels?.[CLUSTER_LABEL] ?? '',
            texts: textsIn(data),
          });
          return `${metadata.uid} ${metadata.resourceVersion}`;
        },
        changed: ({ metadata }, _, isGone) => {
          if (isGone) this.#kept.delete(metadata.name);
        },
        listed: () => {
          this.#isListed = true;
          this.#tried.resolve(undefined);
        },
      },
      {
        ...following,
        log: {
          ...NOBODYS, // whoever asks is told, and logs it
          warn: () => {
            this.#tried.resolve(undefined);
          },
        },
      },
    );
  }

  async names(): Promise<readonly string[]> {
    await this.#whole();
    return [...new Set([...this.#kept.values()].map(({ name }) => name))];
  }

  async read(name: string): Promise<Texts | undefined> {
    await this.#whole();
    const [first, ...others] = [...this.#kept].filter(([, kept]) => kept.name === name);
    if (first && others.length > 0) {
      const secrets = [first, ...others].map(([secret]) => secret).sort();
      throw new ReconcileError(
        'CONFIG_INVALID',
        `several Secrets have this value of the label ${CLUSTER_LABEL} (${secrets.join(', ')}), and none of them counts: leave one`,
      );
    }
    return first?.[1].texts;
  }

  async stop(): Promise<void> {
    await this.#follower.stop();
  }

  /** Throws while what is kept may be old. */
  async #whole(): Promise<void> {
    this.#follower.start();
    await isSettledWithin(this.#tried.promise, FIRST_LIST_MS);
    const trouble = this.#isListed ? this.#follower.failure : this.#follower.view().trouble;
    if (trouble !== undefined) throw new ReconcileError('CONFIG_INVALID', trouble);
  }
}

const nothing = (): undefined => undefined;
const NOBODYS = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function textsIn(data: Secret['data']): Texts {
  const found = TEXTS.flatMap((text) => {
    const value = data?.[text];
    return value === undefined ? [] : [[text, Buffer.from(value, 'base64').toString()] as const];
  });
  return Object.fromEntries(found);
}
