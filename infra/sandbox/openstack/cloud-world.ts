import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../sandbox-clock.ts';
import { AddressPool } from './address-pool.ts';
import type { FloatingIp, Network, Port, Server, Subnet } from './neutron-objects.ts';
import type { HealthMonitor, Listener, LoadBalancer, Member, Pool } from './octavia-objects.ts';
import { makeFloatingIp } from './neutron-floating-ips.ts';
import { createNova } from './nova-servers.ts';
import { dropLoadBalancer } from './octavia-lock.ts';
import { deletePort } from './neutron-ports.ts';
import { labCidrs, labNetworks } from './neutron-networks.ts';

interface PendingEnd {
  readonly dueAt: number;
  readonly run: (at: string) => void;
}

/**
 * Everything the simulated cloud knows. Reading any list first lets the PENDING_* states that are due come to
 * their end, so tests and requests see the same world. Tests may change it behind the controller's back.
 */
export class CloudWorld {
  readonly clock: SandboxClock;
  readonly pendingMs: number;
  readonly projectId = randomBytes(16).toString('hex');
  readonly routerId = randomUUID();
  readonly otherProjectId = randomBytes(16).toString('hex');
  readonly applicationCredential = {
    id: randomBytes(16).toString('hex'),
    name: 'levelset',
    secret: 'sandbox-secret',
  };
  /** -1 is unlimited: Octavia's defaults; Neutron's as the lab has them. */
  readonly quotas = {
    load_balancer: -1,
    listener: -1,
    pool: -1,
    member: -1,
    health_monitor: -1,
    port: 2000,
    floatingip: 200,
  };
  readonly networks: Network[];
  readonly subnets: Subnet[];
  readonly ports: Port[] = [];
  readonly floatingips: FloatingIp[] = [];
  readonly servers: Server[] = [];
  readonly addresses: AddressPool;
  private readonly octavia = {
    loadbalancers: [] as LoadBalancer[],
    listeners: [] as Listener[],
    pools: [] as Pool[],
    members: [] as Member[],
    healthmonitors: [] as HealthMonitor[],
  };
  private pending: PendingEnd[] = [];

  constructor(clock: SandboxClock, pendingMs: number, cidrs = labCidrs) {
    this.clock = clock;
    this.pendingMs = pendingMs;
    ({ networks: this.networks, subnets: this.subnets } = labNetworks(
      this.projectId,
      clock.seconds(),
      cidrs,
    ));
    this.addresses = new AddressPool(this.subnets, this.ports, this.floatingips);
  }

  get loadbalancers(): LoadBalancer[] {
    return this.settled().loadbalancers;
  }

  get listeners(): Listener[] {
    return this.settled().listeners;
  }

  get pools(): Pool[] {
    return this.settled().pools;
  }

  get members(): Member[] {
    return this.settled().members;
  }

  get healthmonitors(): HealthMonitor[] {
    return this.settled().healthmonitors;
  }

  /** Octavia's own notation: UTC, whole seconds, no zone. */
  octaviaTime(): string {
    return this.clock.now().toISOString().slice(0, 19);
  }

  newId(): string {
    return randomUUID();
  }

  /** Runs when the work of a write is over; `at` is that moment, however much later somebody looks. */
  afterPending(run: (at: string) => void): void {
    this.pending.push({ dueAt: this.clock.millis() + this.pendingMs, run });
  }

  /** Sets what an operator or a failure would set; `updated_at` moves as with any row update. */
  setStatus(loadBalancerId: string, provisioningStatus: string): void {
    const found = this.loadbalancers.find((lb) => lb.id === loadBalancerId);
    if (!found) throw new Error(`no load balancer ${loadBalancerId}`);
    found.provisioning_status = provisioningStatus;
    found.updated_at = this.octaviaTime();
  }

  /** Deletes a load balancer with its children and VIP port at once, as somebody else would. */
  removeLoadBalancer(id: string): void {
    const found = this.loadbalancers.find((lb) => lb.id === id);
    if (found) dropLoadBalancer(this, found);
  }

  /** A floating IP that nobody uses yet; with `address` as only an administrator could ask for it. */
  addFloatingIp(address?: string, description = ''): FloatingIp {
    const network = this.networks.find((one) => one['router:external']);
    const ip = makeFloatingIp(this, this.projectId, network?.id ?? '', undefined, address);
    ip.description = description;
    this.floatingips.push(ip);
    return ip;
  }

  /** A server with its port on the private network, as Nova's fake driver makes it. */
  addNovaServer(name: string, address?: string): Server {
    return createNova(this, name, address);
  }

  /** The server is gone from Nova, its port from Neutron. */
  removeNovaServer(id: string): void {
    const index = this.servers.findIndex((server) => server.id === id);
    if (index >= 0) this.servers.splice(index, 1);
    for (const port of this.ports.filter((one) => one.device_id === id)) deletePort(this, port.id);
  }

  /** How the cluster's half of the sandbox makes the servers behind its Nodes. */
  serverMaker(): {
    create(name: string, address?: string): { id: string; address: string };
    remove(id: string): void;
  } {
    return {
      create: (name, address) => {
        const { id } = this.addNovaServer(name, address);
        const port = this.ports.find((one) => one.device_id === id);
        return { id, address: port?.fixed_ips[0]?.ip_address ?? '' };
      },
      remove: (id) => {
        this.removeNovaServer(id);
      },
    };
  }

  private settled(): typeof this.octavia {
    const now = this.clock.millis();
    const due = this.pending.filter((end) => end.dueAt <= now);
    this.pending = this.pending.filter((end) => end.dueAt > now);
    for (const end of due) end.run(new Date(end.dueAt).toISOString().slice(0, 19));
    return this.octavia;
  }
}
