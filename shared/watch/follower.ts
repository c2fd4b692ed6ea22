import { setTimeout as sleep } from 'node:timers/promises';
import { asReconcileError, errorText, ReconcileError } from '../model/errors.ts';
import type { Snapshot } from '../kube/kube-objects.ts';
import type { Watch } from '../kube/watch-http.ts';
import type { WatchView } from '../report/page.ts';
import type { Log } from '../ports.ts';
import { requeueDelayMs } from '../queue/scheduling.ts';
import type { SeenObject } from '../trigger/keys-from-objects.ts';

/** A collection of the apiserver, and what its changes mean. */
export interface Collection<T extends SeenObject> {
  /** For messages, such as `Services`. */
  readonly name: string;
  readonly path: string;
  readonly metadataOnly?: true;
  /** What of an object counts, as a text that changes with it; undefined of an object that does not concern us. */
  readonly signOf: (object: T) => string | undefined;
  /** Called for each object that came, changed or went. `sign` is that of the object, or, if it is gone, its last one. */
  readonly changed: (object: SeenObject, sign: string, isGone: boolean) => void;
}

export interface FollowerOptions<T extends SeenObject> {
  readonly collection: Collection<T>;
  readonly list: (collection: Collection<T>) => Promise<Snapshot<T>>;
  readonly watch: Watch;
  readonly log: Log;
}

/** A watch that ended sooner is not begun anew at once. */
const SHORT_MS = 1_000;

/**
 * Follows a collection: a list, then a watch from there on, for ever. It keeps no object, only the sign of each, so that a
 * list after a gap tells what moved meanwhile and no more. What was there at the first list is no news: a sweep at start
 * looks at it. Anything lost is found by the next sweep.
 */
export class Follower<T extends SeenObject> {
  readonly #options: FollowerOptions<T>;
  readonly #stop = new AbortController();
  /** The sign of each object by namespace and name; undefined before the first list. */
  #signs: Map<string, string> | undefined;
  /** Undefined: a list must come first. */
  #version: string | undefined;
  #failures = 0;
  #trouble: string | undefined = 'the first list is under way';
  #running: Promise<void> | undefined;

  constructor(options: FollowerOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  view(): WatchView {
    const { name } = this.#options.collection;
    return { name, ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }) };
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list();
        const began = performance.now();
        await this.#watch(this.#version ?? '');
        if (performance.now() - began < SHORT_MS) await this.#pause(SHORT_MS);
      } catch (error) {
        await this.#failed(asReconcileError(error));
      }
    }
  }

  async #list(): Promise<void> {
    const { collection, list } = this.#options;
    const { items, resourceVersion } = await list(collection);
    const gone = this.#signs && new Set(this.#signs.keys());
    const isFirst = this.#signs === undefined;
    this.#signs ??= new Map();
    for (const object of items) {
      gone?.delete(nameOf(object));
      this.#saw(object, isFirst);
    }
    for (const name of gone ?? []) this.#lost(nothingBut(name));
    this.#version = resourceVersion;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { collection, watch } = this.#options;
    const { name, path, metadataOnly } = collection;
    const request = { path, resourceVersion, doing: `watch ${name}`, ...(metadataOnly && { metadataOnly }) };
    for await (const { type, object } of watch(request, this.#stop.signal)) {
      if (type === 'OPENED') {
        this.#recovered();
        continue;
      }
      if (type === 'ERROR') {
        this.#ended(object);
        return;
      }
      const seen = object as T;
      this.#version = seen.metadata.resourceVersion;
      this.#failures = 0;
      if (type === 'DELETED') this.#lost(seen);
      else if (type !== 'BOOKMARK') this.#saw(seen, false);
    }
  }

  #saw(object: T, isOld: boolean): void {
    const { signOf, changed } = this.#options.collection;
    const name = nameOf(object);
    const before = this.#signs?.get(name);
    const sign = signOf(object);
    if (sign === before) return;
    if (sign === undefined) this.#signs?.delete(name);
    else this.#signs?.set(name, sign);
    if (!isOld) changed(object, sign ?? before ?? '', false);
  }

  #lost(object: SeenObject): void {
    const sign = this.#signs?.get(nameOf(object));
    if (sign === undefined) return;
    this.#signs?.delete(nameOf(object));
    this.#options.collection.changed(object, sign, true);
  }

  /** The apiserver has forgotten the version (410): a list comes next. Anything else is a failure. */
  #ended(status: unknown): void {
    const { code, message } = (status ?? {}) as { code?: number; message?: string };
    this.#version = undefined;
    if (code === 410) return;
    throw new ReconcileError(
      'KUBE_UNAVAILABLE',
      `cannot watch ${this.#options.collection.name}: ${message ?? 'no reason was given'}`,
    );
  }

  #recovered(): void {
    if (this.#trouble !== undefined && this.#failures > 0)
      this.#options.log.info(`changes of ${this.#options.collection.name} come again`);
    this.#trouble = undefined;
  }

  async #failed(error: ReconcileError): Promise<void> {
    if (error.context.status === 410) {
      this.#version = undefined;
      await this.#pause(SHORT_MS);
      return;
    }
    const { name } = this.#options.collection;
    if (this.#failures === 0)
      this.#options.log.warn(`changes of ${name} wait for the sweep`, { reason: errorText(error) });
    this.#trouble = errorText(error);
    const outcome = {
      status: 'failed',
      code: error.code,
      message: '',
      retryAfterMs: error.context.retryAfterMs ?? 0,
    } as const;
    const delayMs = requeueDelayMs(outcome, this.#failures, Math.random);
    this.#failures += 1;
    await this.#pause(delayMs ?? 0);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}

function nameOf({ metadata: { namespace = '', name } }: SeenObject): string {
  return `${namespace}/${name}`;
}

/** What is known of an object that went while nobody watched. */
function nothingBut(nameInNamespace: string): SeenObject {
  const [namespace = '', name = ''] = nameInNamespace.split('/');
  return { metadata: { namespace, name, uid: '', resourceVersion: '' } };
}
