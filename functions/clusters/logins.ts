import { createHash } from 'node:crypto';
import type { ShareLogin } from '../../shared/openstack/connect-cloud.ts';
import type { Keystone } from '../../shared/openstack/identity/keystone.ts';
import type { Observer } from '../../shared/openstack/openstack-http.ts';

interface Login {
  readonly keystone: WeakRef<Keystone>;
  /** Of the clusters that have it, by name. The first one sees its calls. */
  readonly observers: Map<string, Observer>;
}

/** The logins to OpenStack of one process. Clusters with the same configuration share one, as long as any of them has it. */
export class Logins {
  readonly #logins = new Map<string, Login>();

  of(cluster: string): ShareLogin {
    return (config, observe, make) => {
      const name = createHash('sha256').update(JSON.stringify(config)).digest('hex');
      const known = this.#logins.get(name);
      const shared = known?.keystone.deref();
      if (known && shared) {
        known.observers.set(cluster, observe);
        return shared;
      }
      for (const [old, { keystone }] of this.#logins) if (!keystone.deref()) this.#logins.delete(old);
      const observers = new Map([[cluster, observe]]);
      const made = make((call) => {
        const [first] = observers.values();
        first?.(call);
      });
      this.#logins.set(name, { keystone: new WeakRef(made), observers });
      return made;
    };
  }

  leave(cluster: string): void {
    for (const { observers } of this.#logins.values()) observers.delete(cluster);
  }
}
