import { createHash } from 'node:crypto';
import type { OpenStackConfig } from '../../shared/config/config.ts';
import type { Keystone } from '../../shared/openstack/identity/keystone.ts';

/** The logins to OpenStack of one process. Clusters with the same configuration share one, as long as any of them has it. */
export class Logins {
  readonly #logins = new Map<string, WeakRef<Keystone>>();

  of(config: OpenStackConfig, make: () => Keystone): Keystone {
    const name = createHash('sha256').update(JSON.stringify(config)).digest('hex');
    const known = this.#logins.get(name)?.deref();
    if (known) return known;
    for (const [old, login] of this.#logins) if (!login.deref()) this.#logins.delete(old);
    const made = make();
    this.#logins.set(name, new WeakRef(made));
    return made;
  }
}
