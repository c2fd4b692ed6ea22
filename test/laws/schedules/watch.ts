/** The rules: what people wished when, who leads and begins to write when, and what each write to OpenStack made of it. */
import { contains } from '../../../infra/sandbox/openstack/ip-network.ts';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';

/** What people ask for. Undefined: no load balancer. */
export interface Wish {
  readonly uid: string;
  readonly ports: readonly number[];
  readonly ranges: readonly string[];
  readonly internal: boolean;
}

/** Of each Service, by name. */
type Wishes = ReadonlyMap<string, Wish | undefined>;

/** Somebody in each range that people name, and somebody in none. */
const CLIENTS = ['10.1.2.3', '192.0.2.9', '198.51.100.7'];

export const nodePortOf = (port: number): number => 30_000 + port;

/** A run of one Service. */
export interface RunMark {
  readonly of: string;
  /** The number of the wishes that held when it began. */
  readonly since: number;
  /** It has ended: nobody waits for what it has sent. */
  isOver: boolean;
}

/** A write that a process has begun. */
export interface Written {
  readonly title: string;
  readonly by: string;
  readonly run: RunMark | undefined;
}

/** From the last write that a leader began to the moment when another process takes the Lease. */
const APART_MS = 2_000;

export type Watch = ReturnType<typeof startWatch>;

export function startWatch({ clock, cloud }: SandboxInside) {
  const faults: string[] = [];
  const all: Wishes[] = [new Map()];
  const promised = new Map<string, string>();
  const released = new Set<string>();
  let leader = '';
  let lastBegun = { by: '', atMs: -Infinity };
  const wishOf = (name: string): Wish | undefined => all.at(-1)?.get(name);
  const attached = (): readonly string[] => {
    const { floatingips, loadbalancers } = cloud;
    // an address is lost when the DELETE comes, however long Octavia takes
    const serving = loadbalancers.filter(({ provisioning_status: status }) => status !== 'PENDING_DELETE');
    const vips = new Set<unknown>(serving.map(({ vip_port_id: port }) => port));
    return floatingips.filter(({ port_id: port }) => vips.has(port)).map((ip) => ip.floating_ip_address);
  };
  return {
    ...{ faults, wishOf },
    /** The number of the wishes that hold. */
    now: (): number => all.length - 1,
    /** People have another wish. */
    wished: (name: string, wish: Wish | undefined): void => {
      const before = wishOf(name);
      const isSame = wish?.uid === before?.uid && wish?.internal === false;
      if (!isSame) promised.delete(name);
      released.delete(name);
      all.push(new Map([...(all.at(-1) ?? []), [name, wish]]));
    },
    /** Somebody has written the leader Lease: a process takes it, renews it, or gives it back. */
    leaseWritten: (holder: string): void => {
      const { by, atMs } = lastBegun;
      if (holder === leader) return;
      const sinceMs = clock.millis() - atMs;
      if (leader !== '' && holder !== '' && by !== holder && sinceMs < APART_MS)
        faults.push(`${holder} takes the Lease ${sinceMs} ms after ${by} began a write`);
      leader = holder;
    },
    /** levelset takes its finalizer off the Service. */
    released: (name: string): void => {
      if (!wishOf(name)) released.add(name);
    },
    /** The Service's status names an address. */
    published: (uid: string, address: string | undefined): void => {
      for (const [name, wish] of all.at(-1) ?? [])
        if (address !== undefined && wish?.uid === uid && !wish.internal && attached().includes(address))
          promised.set(name, address);
    },
    /**
     * A process begins a write to OpenStack, or to Kubernetes besides the leader Lease. Whoever does holds the Lease, not only as far as it
     * knows: another one takes it 15 s after the last renewal came there, and writes begin for 13 s after that was sent.
     */
    begins: (title: string, by: string, run: RunMark | undefined): Written => {
      if (leader !== by) faults.push(`${title} begins while the Lease is ${leader || 'nobody'}'s`);
      lastBegun = { by, atMs: clock.millis() };
      return { title, by, run };
    },
    /**
     * A write comes to OpenStack. What people have wished since its run began counts. It is late where another process has the Lease by now, or its
     * run has ended without its answer: OpenStack cannot tell it from one that is on time.
     */
    lands: <T>({ title, by, run }: Written, write: () => T): T => {
      const before = opened(cloud);
      const answer = write();
      if (!run) {
        faults.push(`${title} is of no run`);
        return answer;
      }
      const isLate = run.isOver || leader !== by;
      if (released.has(run.of) && !isLate && title.includes(' POST '))
        faults.push(`${title} makes something for a Service without a finalizer`);
      const wishes = all.slice(run.since);
      const each = wishes.flatMap((one) => [...one.values()]);
      const allowed = new Set(each.flatMap((wish) => (wish ? opens(wish) : [])));
      const wider = [...opened(cloud)].filter((one) => !before.has(one) && !allowed.has(one));
      if (wider.length > 0) faults.push(`${title} opens ${wider.join(', ')}`);
      for (const [name, address] of promised) {
        if (attached().includes(address)) continue;
        promised.delete(name);
        const uid = wishOf(name)?.uid;
        if (wishes.map((one) => one.get(name)).every((wish) => wish && !wish.internal && wish.uid === uid))
          faults.push(`${title} loses the address ${address} of ${name}`);
      }
      return answer;
    },
  };
}

/** What a wish lets in: who reaches which port, from the internet or from inside, and where a port leads. */
function opens({ ports, ranges, internal }: Wish): readonly string[] {
  const isIn = (one: string): boolean => ranges.some((range) => contains(range, one));
  const clients = CLIENTS.filter((one) => ranges.length === 0 || isIn(one));
  return ports.flatMap((port) => [
    `${port} to ${nodePortOf(port)}`,
    `node port ${nodePortOf(port)}`,
    ...clients.flatMap((client) => sides(!internal).map((side) => `${port} ${side} to ${client}`)),
  ]);
}

const sides = (isPublic: boolean): readonly string[] => (isPublic ? ['inside', 'outside'] : ['inside']);

/** The same of OpenStack as it is. */
function opened(cloud: SandboxInside['cloud']): ReadonlySet<string> {
  const { loadbalancers, pools, members, floatingips } = cloud;
  const open = new Set<string>();
  for (const listener of cloud.listeners) {
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
  for (const { direction, port_range_min: port } of cloud.securityGroupRules)
    if (direction === 'ingress' && typeof port === 'number') open.add(`node port ${port}`);
  return open;
}
