/** People who apply, change and delete Services by kubectl, and care for nothing else. */
import { apply, aService, kubectl, type Port } from '../lab/lab.ts';
import { SLOTS, type Setting, type UserEdit } from './script.ts';

interface Wish {
  readonly annotations: Readonly<Record<string, string | undefined>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly ports: number;
  readonly type: string;
}

const tcp = (port: number): Port => ({ port, protocol: 'TCP' });
const udp = (port: number): Port => ({ port, protocol: 'UDP' });
const PLAIN: readonly (readonly Port[])[] = [
  [tcp(80)],
  [tcp(80), tcp(443)],
  [tcp(8080)],
  [tcp(443), tcp(80), udp(53)],
  [udp(53)],
  [tcp(80), udp(80)],
  [tcp(443), tcp(8080)],
];

export class Users {
  readonly #namespace: string;
  readonly #guestOf: string;
  readonly #wishes = new Map<number, Wish>();

  /** `guestOf`: the load balancer of a person on which one Service is a guest. */
  constructor(namespace: string, guestOf: string) {
    this.#namespace = namespace;
    this.#guestOf = guestOf;
  }

  /** Every Service once, as plain as it can be. */
  async begin(): Promise<void> {
    SLOTS.forEach((_, slot) => this.#wishes.set(slot, NEW));
    await apply(SLOTS.map((_, slot) => this.#manifest(slot, NEW)));
  }

  /** False when there is nothing to delete. */
  async edit(edit: UserEdit): Promise<boolean> {
    const { slot } = edit;
    const wish = this.#wishes.get(slot);
    if (edit.does === 'delete') {
      if (!wish) return false;
      this.#wishes.delete(slot);
      const name = SLOTS[slot] ?? '';
      await kubectl(['-n', this.#namespace, 'delete', 'service', name, '--wait=false', '--ignore-not-found']);
      return true;
    }
    const next =
      edit.does === 'type' ? { ...(wish ?? NEW), type: edit.type } : changed(wish ?? NEW, edit.setting);
    this.#wishes.set(slot, next);
    await apply([this.#manifest(slot, next)]);
    return true;
  }

  /** What is only for Services of type LoadBalancer, or for plain ones, is left out of the others. */
  #manifest(slot: number, { annotations, spec, ports, type }: Wish): object {
    const name = SLOTS[slot] ?? '';
    const isPlain = name.startsWith('s');
    const asked = Object.entries(annotations).flatMap(([key, value]): [string, string][] =>
      value !== undefined && (isPlain || !OF_THE_WHOLE.test(key)) ? [[key, value]] : [],
    );
    const shares = name.startsWith('g')
      ? { 'levelset.openstack.org/load-balancer-name': 'edge' }
      : { 'loadbalancer.openstack.org/load-balancer-id': this.#guestOf };
    const own = isPlain
      ? (PLAIN[ports] ?? [])
      : [tcp(1000 + 100 * slot), udp(1050 + 100 * slot)].slice(0, 1 + (ports % 2));
    const { sessionAffinity, ...balanced } = spec;
    return aService(this.#namespace, name, own, {
      annotations: { ...Object.fromEntries(asked), ...(isPlain ? {} : shares) },
      spec: {
        type,
        sessionAffinity: sessionAffinity ?? 'None',
        ...(type === 'LoadBalancer' ? balanced : {}),
      },
    });
  }
}

const NEW: Wish = { annotations: {}, spec: {}, ports: 0, type: 'LoadBalancer' };
const OF_THE_WHOLE = /internal-load-balancer$|\/tags$/;

function changed(wish: Wish, setting: Setting): Wish {
  if ('ports' in setting) return { ...wish, ports: setting.ports };
  if ('spec' in setting) return { ...wish, spec: { ...wish.spec, ...setting.spec } };
  return { ...wish, annotations: { ...wish.annotations, ...setting.annotations } };
}
