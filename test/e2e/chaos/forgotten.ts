/**
 * Load balancers that Octavia's worker forgot in PENDING. Octavia's API reads what it is to update before it takes the lock: if
 * somebody's deletion of that very thing ends in between, the worker fails, and nobody ends the lock.
 */
import { labctl } from '../lab/labctl.ts';
import { loadBalancers } from '../lab/openstack.ts';

const FORGOTTEN_AFTER_MS = 120_000;

export class Forgotten {
  readonly #namespace: string;
  /** When each state was first seen. */
  readonly #sinceMs = new Map<string, number>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Frees them as whoever runs the cloud does. Returns their ids. */
  async free(): Promise<readonly string[]> {
    const freed: string[] = [];
    for (const lb of await loadBalancers()) {
      const status = String(lb['provisioning_status']);
      if (!status.startsWith('PENDING_') || !String(lb['name']).includes(this.#namespace)) continue;
      const state = `${lb.id} ${status} ${String(lb['updated_at'])}`;
      const sinceMs = this.#sinceMs.get(state) ?? Date.now();
      this.#sinceMs.set(state, sinceMs);
      if (Date.now() - sinceMs < FORGOTTEN_AFTER_MS) continue;
      await labctl('prov', 'load_balancer', lb.id, 'ACTIVE');
      freed.push(lb.id);
    }
    return freed;
  }
}
