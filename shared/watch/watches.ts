import { corePath, endpointSlicePath } from '../kube/kube-objects.ts';
import type { Service } from '../model/kubernetes.ts';
import type { Key } from '../model/request.ts';
import type { WatchView } from '../report/page.ts';
import {
  followsEndpoints,
  keyOfService,
  keysOfNode,
  serviceOfSlice,
  signOfNode,
  signOfService,
} from '../trigger/keys-from-objects.ts';
import { Follower, type Changed, type Following } from './follower.ts';

interface WatchesOptions extends Following {
  /** Called with the keys of what changed, and with `all` when from then on every change is told. */
  readonly changed: Changed;
}

/** The watches that can take the webhook's place. They tell only what changes; they ask for a sweep for what was there before. */
export class Watches {
  readonly #services: Follower<'Service'>;
  readonly #nodes: Follower<'Node'>;
  readonly #slices: Follower<'Metadata'>;
  /** The Services whose members follow their endpoints. */
  readonly #followed = new Set<Key>();

  constructor(options: WatchesOptions) {
    const { changed } = options;
    const unlisted = new Set(['services', 'nodes']);
    const listed = (what: string) => (): void => {
      unlisted.delete(what);
      if (unlisted.size === 0) changed(['all']); // what changed before a first list, none tells
    };
    this.#services = new Follower<'Service'>(
      {
        name: 'Services',
        kind: 'Service',
        path: corePath('services'),
        signOf: (service) => {
          this.#note(service);
          return signOfService(service);
        },
        changed: (service, _, isGone) => {
          const key = keyOfService(service);
          if (isGone) this.#followed.delete(key);
          changed([key]);
        },
        listed: listed('services'),
      },
      options,
    );
    this.#nodes = new Follower<'Node'>(
      {
        name: 'Nodes',
        kind: 'Node',
        path: corePath('nodes'),
        signOf: signOfNode,
        changed: (node, _, isGone) => {
          changed(keysOfNode(node, isGone));
        },
        listed: listed('nodes'),
      },
      options,
    );
    this.#slices = new Follower<'Metadata'>(
      {
        name: 'EndpointSlices',
        path: endpointSlicePath(),
        kind: 'Metadata',
        signOf: (slice) => {
          const service = serviceOfSlice(slice);
          const { uid, generation = 0 } = slice.metadata;
          return service && this.#followed.has(service) ? `${service} ${uid} ${generation}` : undefined;
        },
        changed: (_, sign) => {
          const [service] = sign.split(' ');
          changed([service as Key]);
        },
        listed: listed('slices'),
      },
      options,
    );
  }

  start(): void {
    this.#services.start();
    this.#nodes.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#services.stop(), this.#nodes.stop(), this.#slices.stop()]);
  }

  view(): readonly WatchView[] {
    const all = [this.#services, this.#nodes, ...(this.#followed.size > 0 ? [this.#slices] : [])];
    return all.map((follower) => follower.view());
  }

  troubles(): readonly string[] {
    return this.view().flatMap(({ trouble }) => trouble ?? []);
  }

  #note(service: Service): void {
    const key = keyOfService(service);
    if (!followsEndpoints(service)) {
      this.#followed.delete(key);
      return;
    }
    this.#followed.add(key);
    this.#slices.start();
  }
}
