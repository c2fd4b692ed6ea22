/** What is not levelset's in the project, and has to stay as it is, field by field. */
import { labResources } from '../lab/lab.ts';
import { deleteLoadBalancer, settled } from '../lab/load-balancer-waits.ts';
import { cloud, listeners, make, type Resource } from '../lab/openstack.ts';
import { tagsOf, type Project } from './project.ts';

const LBAAS = '/v2.0/lbaas';

interface Kept {
  readonly kind: 'loadBalancers' | 'listeners' | 'pools' | 'monitors' | 'floatingIPs';
  readonly as: Resource;
  /** The load balancer that it is on, or is. */
  readonly on: string | undefined;
}

/** States and times come and go by themselves; what is on a load balancer has rows of its own, and guests bring tags. */
const MOVES = /_status$|_at$|^(listeners|pools|members)$/;

export class Foreign {
  readonly #kept = new Map<string, Kept>();
  /** Load balancers of a person, on which Services may be guests. */
  readonly guests = new Set<string>();

  /** A load balancer with a listener, a pool, a member and a monitor; `tags` such as a consent to be shared. */
  async addLoadBalancer(name: string, tags: readonly string[]): Promise<string> {
    const { id } = await make('load-balancer', 'loadbalancer', {
      name,
      vip_subnet_id: labResources().private_v4,
      tags,
      listeners: [{ ...LISTENER, protocol_port: 9_100, default_pool: POOL }],
    });
    await settled(id);
    this.guests.add(id);
    await this.#keep('loadBalancers', id, `${LBAAS}/loadbalancers`, id);
    for (const one of await listeners(id)) await this.#keepListener(one.id, id);
    return id;
  }

  /** A listener of a person on a load balancer of levelset, with a pool. Throws with Octavia's word when it refuses. */
  async addListener(lb: string, port: number): Promise<void> {
    const { members, healthmonitor: _, ...pool } = POOL;
    const { id } = await make('load-balancer', 'pool', { ...pool, loadbalancer_id: lb });
    await settled(lb);
    await this.#keep('pools', id, `${LBAAS}/pools`, lb);
    await cloud().must('load-balancer', 'POST', `${LBAAS}/pools/${id}/members`, { member: members[0] });
    await settled(lb);
    const own = { ...LISTENER, protocol_port: port, default_pool_id: id, loadbalancer_id: lb };
    const listener = await make('load-balancer', 'listener', own);
    await settled(lb);
    await this.#keepListener(listener.id, lb);
  }

  async addFloatingIP(): Promise<void> {
    const asked = { floating_network_id: labResources().public_network, description: 'chaos: a person’s' };
    const as = await make('network', 'floatingip', asked);
    this.#kept.set(as.id, { kind: 'floatingIPs', as, on: undefined });
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  isOn(lb: string): boolean {
    return [...this.#kept.values()].some(({ on }) => on === lb);
  }

  /** Whoever deletes a whole load balancer deletes what others have there. */
  forgetOn(lb: string): void {
    for (const [id, { on }] of this.#kept) if (on === lb) this.#kept.delete(id);
  }

  /** One line for each field that is not as its owner left it. */
  changesIn(project: Project): { readonly fields: number; readonly changes: readonly string[] } {
    let fields = 0;
    const changes = [...this.#kept.values()].flatMap(({ kind, as }) => {
      const what = `a person’s ${kind} ${as.id}`;
      const now = (project[kind] as readonly Resource[]).find(({ id }) => id === as.id);
      if (!now) return [`${what} is gone`];
      return Object.entries(as).flatMap(([field, value]) => {
        if (MOVES.test(field)) return [];
        fields++;
        const [was, is] = [value, now[field]].map((one) => JSON.stringify(one ?? null));
        if (field === 'tags')
          return tagsOf(as).every((tag) => tagsOf(now).includes(tag)) ? [] : [`${what} lost tags`];
        return was === is ? [] : [`${what} ${field} is ${String(is)}, not ${String(was)}`];
      });
    });
    return { fields, changes };
  }

  /** Takes all of it away; what stands on a load balancer of levelset alone, the rest with its load balancer. */
  async remove(): Promise<void> {
    for (const [id, { kind, on }] of this.#kept) {
      if (kind === 'floatingIPs') await cloud().request('network', 'DELETE', `/v2.0/floatingips/${id}`);
      if (on === undefined || this.guests.has(on) || (kind !== 'listeners' && kind !== 'pools')) continue;
      await settled(on);
      await cloud().request('load-balancer', 'DELETE', `${LBAAS}/${kind}/${id}`);
    }
    for (const id of this.guests) await deleteLoadBalancer(id);
    this.#kept.clear();
  }

  async #keepListener(id: string, lb: string): Promise<void> {
    const as = await this.#keep('listeners', id, `${LBAAS}/listeners`, lb);
    const pool = await this.#keep('pools', String(as['default_pool_id']), `${LBAAS}/pools`, lb);
    const monitor = pool['healthmonitor_id'];
    if (typeof monitor === 'string') await this.#keep('monitors', monitor, `${LBAAS}/healthmonitors`, lb);
  }

  async #keep(kind: Kept['kind'], id: string, path: string, on: string): Promise<Resource> {
    const answer = await cloud().must<Record<string, Resource>>('load-balancer', 'GET', `${path}/${id}`);
    const as = Object.values(answer)[0] ?? { id };
    this.#kept.set(id, { kind, as, on });
    return as;
  }
}

const LISTENER = { name: 'chaos-foreign', protocol: 'TCP', connection_limit: 77 };
const POOL = {
  name: 'chaos-foreign',
  protocol: 'TCP',
  lb_algorithm: 'SOURCE_IP',
  healthmonitor: { name: 'chaos-foreign', type: 'TCP', delay: 20, timeout: 10, max_retries: 2 },
  members: [{ address: '10.0.0.250', protocol_port: 4_444, weight: 3 }],
};
