import { setTimeout as sleep } from 'node:timers/promises';
import { asReconcileError, errorText, ReconcileError } from '../model/errors.ts';
import type { KubeHttp } from '../kube/kube-http.ts';
import { asObject, listPages, type Kind, type ObjectOf } from '../kube/kube-objects.ts';
import type { Watch } from '../kube/watch-http.ts';
import { fieldsOf, stringAt } from '../model/json.ts';
import type { Key } from '../model/request.ts';
import type { WatchView } from '../report/page.ts';
import type { Log } from '../ports.ts';
import { requeueDelayMs } from '../queue/scheduling.ts';
import type { SeenObject } from '../trigger/keys-from-objects.ts';

interface Collection<K extends Kind> {
  readonly name: string;
  readonly path: string;
  readonly labelSelector?: string;
  /** Of `Metadata` nothing more is asked for. */
  readonly kind: K;
  /** What of an object counts, as a text that changes with it; undefined of an object that does not concern us. */
  readonly signOf: (object: ObjectOf<K>) => string | undefined;
  /** Called for each object that came, changed or went. `sign` is that of the object, or, if it is gone, its last one. */
  readonly changed: (object: SeenObject, sign: string, isGone: boolean) => void;
  /** Called when the first list is there: from then on every change is told. */
  readonly listed?: () => void;
}

export type Changed = (keys: readonly Key[]) => void;

export interface Following {
  readonly http: KubeHttp;
  readonly watch: Watch;
  readonly log: Log;
}

/** Lists are rare and processes small: half a megabyte of Services at once. */
const PAGE = 100;
/** A watch that ended sooner is not begun anew at once. */
const SHORT_MS = 1_000;
/** After a version that was forgotten a watch has to stand for longer: a slow apiserver forgets a second later, each time. */
const FORGOTTEN_MS = 10_000;
/** One that is not open by then is told: a proxy may hold it back, or the apiserver have no place for it. */
const OPEN_WITHIN_MS = 5_000;

/**
 * A list, then a watch from there on, for ever. It keeps only the sign of each object, so that a list after a gap
 * tells what moved. What was there at first counts as known.
 */
export class Follower<K extends Kind> {
  readonly #collection: Collection<K>;
  readonly #following: Following;
  readonly #stop = new AbortController();
  readonly #signs = new Map<string, string>();
  /** Undefined: a list must come first. */
  #version: string | undefined;
  #isListed = false;
  #failures = 0;
  #isTold = false;
  #isForgotten = false;
  #trouble: string | undefined = 'the first list is under way';
  #running: Promise<void> | undefined;

  constructor(collection: Collection<K>, following: Following) {
    this.#collection = collection;
    this.#following = following;
  }

  start(): void {
    this.#running ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  view(): WatchView {
    const { name } = this.#collection;
    return { name, ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }) };
  }

  /** Why what it has told may be old; undefined while it follows, and before the end of its first list. */
  get failure(): string | undefined {
    return this.#isTold ? this.#trouble : undefined;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        this.#version ??= await this.#list();
        await this.#watch(this.#version);
      } catch (error) {
        await this.#failed(asReconcileError(error));
      }
    }
  }

  async #list(): Promise<string> {
    const { name, path, kind } = this.#collection;
    const gone = new Set(this.#signs.keys());
    let version = '';
    const request = {
      ...{ kind, path },
      doing: `list ${name}`,
      pageSize: PAGE,
      signal: this.#stop.signal,
      query: this.#selector(),
    };
    for await (const { items, resourceVersion } of listPages(this.#following.http, request)) {
      version = resourceVersion;
      for (const object of items) {
        gone.delete(nameOf(object));
        this.#saw(object, !this.#isListed);
      }
    }
    for (const known of gone) this.#lost(nothingBut(known), undefined);
    if (!this.#isListed) this.#collection.listed?.();
    this.#isListed = true;
    return version;
  }

  #selector(): Readonly<Record<string, string>> {
    const { labelSelector } = this.#collection;
    return labelSelector === undefined ? {} : { labelSelector };
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { name, path, kind } = this.#collection;
    const request = {
      path,
      resourceVersion,
      doing: `watch ${name}`,
      query: this.#selector(),
      ...(kind === 'Metadata' && ({ metadataOnly: true } as const)),
    };
    let openedMs = Infinity;
    let steady: NodeJS.Timeout | undefined;
    const late = setTimeout(() => {
      this.#tell(`cannot watch ${name}: not open within ${OPEN_WITHIN_MS / 1000} s`);
    }, OPEN_WITHIN_MS).unref();
    const hasStood = (): boolean => performance.now() - openedMs >= SHORT_MS;
    try {
      for await (const { type, object } of this.#following.watch(request, this.#stop.signal)) {
        if (type === 'OPENED') {
          clearTimeout(late);
          if (this.#failures === 0 && !this.#isForgotten) this.#works();
          openedMs = performance.now();
          steady = setTimeout(
            () => {
              this.#works();
            },
            this.#isForgotten ? FORGOTTEN_MS : SHORT_MS,
          ).unref();
          continue;
        }
        if (type === 'ERROR') throw this.#ended(object);
        if (!this.#isForgotten) this.#works();
        if (type === 'BOOKMARK') {
          this.#version = stringAt(fieldsOf(object)['metadata'], 'resourceVersion');
          continue;
        }
        const seen = asObject(kind, object, request.doing);
        this.#version = seen.metadata.resourceVersion;
        if (type === 'DELETED') this.#lost(seen, this.#collection.signOf(seen));
        else this.#saw(seen, false);
      }
    } catch (error) {
      // one that stood may be cut off by a proxy, or be quiet for long: the next one tells what it missed
      if (!hasStood() || this.#version === undefined) throw error;
    } finally {
      clearTimeout(late);
      clearTimeout(steady);
    }
    if (!hasStood()) await this.#pause(SHORT_MS);
  }

  #saw(object: ObjectOf<K>, isOld: boolean): void {
    const { signOf, changed } = this.#collection;
    const name = nameOf(object);
    const before = this.#signs.get(name);
    const sign = signOf(object);
    if (sign === before) return;
    if (sign === undefined) this.#signs.delete(name);
    else this.#signs.set(name, sign);
    if (!isOld) changed(object, sign ?? before ?? '', false);
  }

  /** `last` is the sign of the object as it was when it went, if that is known. */
  #lost(object: SeenObject, last: string | undefined): void {
    const sign = this.#signs.get(nameOf(object)) ?? last;
    if (sign === undefined) return;
    this.#signs.delete(nameOf(object));
    this.#collection.changed(object, sign, true);
  }

  /** Why the apiserver has ended the watch. A list comes next. */
  #ended(event: unknown): ReconcileError {
    const { code } = fieldsOf(event);
    this.#version = undefined;
    const text = `cannot watch ${this.#collection.name}: ${stringAt(event, 'message') ?? 'no reason was given'}`;
    return new ReconcileError('KUBE_UNAVAILABLE', text, typeof code === 'number' ? { status: code } : {});
  }

  #works(): void {
    const wasTold = this.#isTold;
    this.#isTold = false;
    this.#isForgotten = false;
    this.#failures = 0;
    this.#trouble = undefined;
    if (wasTold) this.#following.log.info(`the watch of ${this.#collection.name} is open again`);
  }

  #tell(reason: string): void {
    if (!this.#isTold)
      this.#following.log.warn(
        `the watch of ${this.#collection.name} is down: its changes wait for the sweep`,
        { reason },
      );
    this.#isTold = true;
    this.#trouble = reason;
  }

  async #failed(error: ReconcileError): Promise<void> {
    if (this.#stop.signal.aborted) return;
    if (error.context.status === 410) {
      this.#version = undefined;
      // a list makes up for a version that is forgotten, unless that is the version of the list
      const isFirst = !this.#isForgotten;
      this.#isForgotten = true;
      if (isFirst) return;
    }
    this.#tell(errorText(error));
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
