import { corePath, endpointSlicePath, listSnapshot } from '../kube/kube-objects.ts';
import type { Http } from '../kube/kube-http.ts';
import type { Watch } from '../kube/watch-http.ts';
import type { Node, Service } from '../model/kubernetes.ts';
import type { Key } from '../model/request.ts';
import type { WatchView } from '../report/page.ts';
import type { Log } from '../ports.ts';
import {
  followsEndpoints,
  keyOfService,
  keysOfNode,
  serviceOfSlice,
  signOfNode,
  signOfService,
  type SeenObject,
} from '../trigger/keys-from-objects.ts';
import { Follower, type Collection } from './follower.ts';

export interface WatchesOptions {
  readonly http: Http;
  readonly watch: Watch;
  readonly log: Log;
  /** Called with the keys of what changed. */
  readonly changed: (keys: readonly Key[]) => void;
}

/**
 * The watches that can take the webhook's place: Services and Nodes, and EndpointSlices as soon as the members of a
 * Service follow them.
 */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #services: Follower<Service>;
  readonly #nodes: Follower<Node>;
  readonly #slices: Follower<SeenObject>;
  /** The Services whose members follow their endpoints. */
  readonly #followed = new Set<Key>();

  constructor(options: WatchesOptions) {
    this.#options = options;
    const { changed } = options;
    this.#services = this.#follower<Service>({
      name: 'Services',
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
    });
    this.#nodes = this.#follower<Node>({
      name: 'Nodes',
      path: corePath('nodes'),
      signOf: signOfNode,
      changed: (node, _, isGone) => {
        changed(keysOfNode(node, isGone));
      },
    });
    this.#slices = this.#follower<SeenObject>({
      name: 'EndpointSlices',
      path: endpointSlicePath(),
      metadataOnly: true,
      signOf: (slice) => {
        const service = serviceOfSlice(slice);
        const { uid, generation = 0 } = slice.metadata;
        return service && this.#followed.has(service) ? `${service} ${uid} ${generation}` : undefined;
      },
      changed: (_, sign) => {
        const [service] = sign.split(' ');
        changed([service as Key]);
      },
    });
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

  /** Why changes do not come. */
  troubles(): readonly string[] {
    return this.view().flatMap(({ trouble }) => trouble ?? []);
  }

  #note(service: Service): void {
    if (!followsEndpoints(service)) {
      this.#followed.delete(keyOfService(service));
      return;
    }
    this.#followed.add(keyOfService(service));
    this.#slices.start();
  }

  #follower<T extends SeenObject>(collection: Collection<T>): Follower<T> {
    const { http, watch, log } = this.#options;
    return new Follower({
      collection,
      watch,
      log,
      list: ({ name, path, metadataOnly }) =>
        listSnapshot<T>(http, { path, doing: `list ${name}`, ...(metadataOnly && { metadataOnly }) }),
    });
  }
}
