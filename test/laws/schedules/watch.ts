/** The rules: what people wished when, who took the lease when, and what each write to OpenStack made of it. */
import { contains } from '../../../infra/sandbox/openstack/ip-network.ts';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';

/** What people ask for. Undefined: no load balancer. */
export interface Wish {
  readonly uid: string;
  readonly ports: readonly number[];
  readonly ranges: readonly string[];
  readonly internal: boolean;
}

/** Somebody in each range that people name, and somebody in none. */
const CLIENTS = ['10.1.2.3', '192.0.2.9', '198.51.100.7'];

export const nodePortOf = (port: number): number => 30_000 + port;

/** A lease that a process took. */
export interface Holding {
  readonly lease: string;
  readonly by: string;
  /** The number of the wish that held then. */
  readonly since: number;
}

export class Watch {
  readonly #cloud: SandboxInside['cloud'];
  readonly #wishes: (Wish | undefined)[] = [undefined];
  readonly #newest = new Map<string, Holding>();
  readonly #holdings = new Map<string, Holding>();
  #promised: string | undefined;
  #isReleased = false;
  /** Leases that a process has not given back. */
  readonly #held = new Map<string, string>();
  /** How often a process took a lease that had expired while another one held it. */
  expired = 0;
  readonly faults: string[] = [];

  constructor(cloud: SandboxInside['cloud']) {
    this.#cloud = cloud;
  }

  get wish(): Wish | undefined {
    return this.#wishes.at(-1);
  }

  /** People have another wish. */
  wished(wish: Wish | undefined): void {
    const isSame = wish?.uid === this.wish?.uid && wish?.internal === false;
    if (!isSame) this.#promised = undefined;
    this.#isReleased = false;
    this.#wishes.push(wish);
  }

  /** A process takes a lease. */
  taken(lease: string, by: string): void {
    const holding = { lease, by, since: this.#wishes.length - 1 };
    if ((this.#held.get(lease) ?? by) !== by) this.expired += 1;
    this.#held.set(lease, by);
    this.#newest.set(lease, holding);
    this.#holdings.set(`${lease} ${by}`, holding);
  }

  /** A process gives a lease back. */
  givenBack(lease: string): void {
    this.#held.delete(lease);
  }

  /** When this process took this lease last. */
  holding(lease: string, by: string): Holding {
    return this.#holdings.get(`${lease} ${by}`) ?? { lease, by, since: 0 };
  }

  /** levelset takes its finalizer off the Service. */
  released(): void {
    this.#isReleased = this.wish === undefined;
  }

  /** The Service's status names an address. */
  published(uid: string, address: string | undefined): void {
    if (address === undefined || this.wish?.uid !== uid || this.wish.internal) return;
    if (this.#attached().includes(address)) this.#promised = address;
  }

  /**
   * Writes to OpenStack under these leases: what people wished counts since somebody took them last. That is the writer,
   * unless the write is late: then another process may have them since.
   */
  write<T>(title: string, holdings: readonly Holding[], isLate: boolean, write: () => T): T {
    const before = opened(this.#cloud);
    const answer = write();
    if (holdings.length === 0) this.faults.push(`${title} is made without a lease`);
    if (this.#isReleased && !isLate && title.includes(' POST '))
      this.faults.push(`${title} makes something for a Service without a finalizer`);
    const newest = holdings.map((one) => this.#newest.get(one.lease) ?? one);
    if (!isLate && newest.some(({ by }, at) => by !== holdings[at]?.by))
      this.faults.push(`${title} is made under a lease that another process has taken`);
    const since = Math.max(0, ...(isLate ? holdings : newest).map((one) => one.since));
    const wishes = this.#wishes.slice(since);
    const allowed = new Set(wishes.flatMap((wish) => (wish ? opens(wish) : [])));
    const wider = [...opened(this.#cloud)].filter((one) => !before.has(one) && !allowed.has(one));
    if (wider.length > 0) this.faults.push(`${title} opens ${wider.join(', ')}`);

    const isGone = this.#promised !== undefined && !this.#attached().includes(this.#promised);
    if (isGone && wishes.every((wish) => wish && !wish.internal && wish.uid === this.wish?.uid))
      this.faults.push(`${title} loses the address ${this.#promised}`);
    if (isGone) this.#promised = undefined;
    return answer;
  }

  #attached(): readonly string[] {
    const { floatingips, loadbalancers } = this.#cloud;
    const vips = new Set<unknown>(loadbalancers.map(({ vip_port_id: port }) => port));
    return floatingips.filter(({ port_id: port }) => vips.has(port)).map((ip) => ip.floating_ip_address);
  }
}

/** What a wish lets in: who reaches which port, from the internet or from inside, and where a port leads. */
function opens({ ports, ranges, internal }: Wish): readonly string[] {
  const clients = CLIENTS.filter(
    (one) => ranges.length === 0 || ranges.some((range) => contains(range, one)),
  );
  return ports.flatMap((port) => [
    `${port} to ${nodePortOf(port)}`,
    `node port ${nodePortOf(port)}`,
    ...clients.flatMap((client) => sides(!internal).map((side) => `${port} ${side} to ${client}`)),
  ]);
}

function sides(isPublic: boolean): readonly string[] {
  return isPublic ? ['inside', 'outside'] : ['inside'];
}

/** The same of OpenStack as it is. */
function opened({
  loadbalancers,
  listeners,
  pools,
  members,
  floatingips,
  securityGroupRules: rules,
}: SandboxInside['cloud']): ReadonlySet<string> {
  const open = new Set<string>();
  for (const listener of listeners) {
    const { protocol_port: port, loadbalancer_id: id, default_pool_id: to } = listener;
    const lb = loadbalancers.byId(id);
    const isPublic = floatingips.some(({ port_id }) => port_id !== null && port_id === lb?.vip_port_id);
    const ranges = listener['allowed_cidrs'] as readonly string[] | null;
    for (const client of CLIENTS) {
      if (ranges && !ranges.some((range) => contains(range, client))) continue;
      for (const side of sides(isPublic)) open.add(`${port} ${side} to ${client}`);
    }
    const pool = pools.byId(to);
    for (const member of members)
      if (member.pool_id === pool?.id) open.add(`${port} to ${member.protocol_port}`);
  }
  for (const { direction, port_range_min: port } of rules)
    if (direction === 'ingress' && typeof port === 'number') open.add(`node port ${port}`);
  return open;
}
