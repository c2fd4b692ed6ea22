/** What is not levelset's in the project, and has to stay as it is, field by field. */
import { labResources } from '../lab/lab.ts';
import { deleteLoadBalancer, settled } from '../lab/load-balancer-waits.ts';
import { cloud, type Resource } from '../lab/openstack.ts';

const LBAAS = '/v2.0/lbaas';

interface Kept {
  readonly kind: 'loadbalancers' | 'listeners' | 'pools' | 'healthmonitors' | 'floatingips';
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
    const { loadbalancer } = await cloud().must<{ loadbalancer: Resource }>(
      'load-balancer',
      'POST',
      `${LBAAS}/loadbalancers`,
      {
        loadbalancer: {
          name,
          vip_subnet_id: labResources().private_v4,
          tags,
          listeners: [{ ...LISTENER, protocol_port: 9_100, default_pool: POOL }],
        },
      },
    );
    await settled(loadbalancer.id);
    this.guests.add(loadbalancer.id);
    await this.#keep('loadbalancers', loadbalancer.id, loadbalancer.id);
    for (const one of await childrenOf('listeners', loadbalancer.id))
      await this.#keepListener(one.id, loadbalancer.id);
    return loadbalancer.id;
  }

  /** A listener of a person on a load balancer of levelset, with a pool. Throws with Octavia's word when it refuses. */
  async addListener(lb: string, port: number): Promise<void> {
    const make = async (kind: string, body: object): Promise<string> => {
      const made = await cloud().must<Record<string, Resource>>(
        'load-balancer',
        'POST',
        `${LBAAS}/${kind}`,
        body,
      );
      await settled(lb);
      return Object.values(made)[0]?.id ?? '';
    };
    const { members, healthmonitor: _, ...pool } = POOL;
    const id = await make('pools', { pool: { ...pool, loadbalancer_id: lb } });
    await this.#keep('pools', id, lb);
    await make(`pools/${id}/members`, { member: members[0] });
    const own = { ...LISTENER, protocol_port: port, default_pool_id: id, loadbalancer_id: lb };
    await this.#keepListener(await make('listeners', { listener: own }), lb);
  }

  async addFloatingIP(): Promise<void> {
    const { floatingip } = await cloud().must<{ floatingip: Resource }>(
      'network',
      'POST',
      '/v2.0/floatingips',
      {
        floatingip: { floating_network_id: labResources().public_network, description: 'chaos: a person’s' },
      },
    );
    this.#kept.set(floatingip.id, { kind: 'floatingips', as: floatingip, on: undefined });
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** Whoever deletes a whole load balancer deletes what others have there. */
  forgetOn(lb: string): void {
    for (const [id, { on }] of this.#kept) if (on === lb) this.#kept.delete(id);
  }

  /** One line for each field that is not as its owner left it. */
  async changes(): Promise<readonly string[]> {
    const all = [...this.#kept.values()].map(async ({ kind, as }) => {
      const what = `a person’s ${kind} ${as.id}`;
      const now = await read(kind, as.id);
      if (!now) return [`${what} is gone`];
      return Object.entries(as).flatMap(([field, value]) => {
        if (MOVES.test(field)) return [];
        const [was, is] = [value, now[field]].map((one) => JSON.stringify(one ?? null));
        if (field === 'tags')
          return tagsOf(as).every((tag) => tagsOf(now).includes(tag)) ? [] : [`${what} lost tags`];
        return was === is ? [] : [`${what} ${field} is ${String(is)}, not ${String(was)}`];
      });
    });
    return (await Promise.all(all)).flat();
  }

  /** Takes all of it away; what stands on a load balancer of levelset alone, the rest with its load balancer. */
  async remove(): Promise<void> {
    for (const [id, { kind, on }] of this.#kept) {
      if (kind === 'floatingips') await cloud().request('network', 'DELETE', `/v2.0/floatingips/${id}`);
      if (on === undefined || this.guests.has(on) || (kind !== 'listeners' && kind !== 'pools')) continue;
      await settled(on);
      await cloud().request('load-balancer', 'DELETE', `${LBAAS}/${kind}/${id}`);
    }
    for (const id of this.guests) await deleteLoadBalancer(id);
    this.#kept.clear();
  }

  async #keepListener(id: string, lb: string): Promise<void> {
    const as = await this.#keep('listeners', id, lb);
    const pool = await this.#keep('pools', String(as['default_pool_id']), lb);
    const monitor = pool['healthmonitor_id'];
    if (typeof monitor === 'string') await this.#keep('healthmonitors', monitor, lb);
  }

  async #keep(kind: Kept['kind'], id: string, on: string): Promise<Resource> {
    const as = (await read(kind, id)) ?? { id };
    this.#kept.set(id, { kind, as, on });
    return as;
  }
}

export const tagsOf = (resource: Resource): readonly string[] => (resource['tags'] ?? []) as string[];

async function read(kind: Kept['kind'], id: string): Promise<Resource | undefined> {
  const { status, body } =
    kind === 'floatingips'
      ? await cloud().request('network', 'GET', `/v2.0/floatingips/${id}`)
      : await cloud().request('load-balancer', 'GET', `${LBAAS}/${kind}/${id}`);
  return status === 200 ? Object.values(body as Record<string, Resource>)[0] : undefined;
}

async function childrenOf(kind: 'listeners', lb: string): Promise<readonly Resource[]> {
  const path = `${LBAAS}/${kind}?loadbalancer_id=${lb}`;
  return (await cloud().must<Record<string, Resource[]>>('load-balancer', 'GET', path))[kind] ?? [];
}

const LISTENER = { name: 'chaos-foreign', protocol: 'TCP', connection_limit: 77 };
const POOL = {
  name: 'chaos-foreign',
  protocol: 'TCP',
  lb_algorithm: 'SOURCE_IP',
  healthmonitor: { name: 'chaos-foreign', type: 'TCP', delay: 20, timeout: 10, max_retries: 2 },
  members: [{ address: '10.0.0.250', protocol_port: 4_444, weight: 3 }],
};
