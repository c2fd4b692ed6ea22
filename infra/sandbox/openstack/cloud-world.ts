import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../sandbox-clock.ts';
import type { ServerMaker } from '../server-maker.ts';
import { AddressPool } from './address-pool.ts';
import type * as neutron from './neutron-objects.ts';
import type { Secret, SecretContainer } from './barbican-objects.ts';
import { OctaviaRows } from './octavia-rows.ts';
import {
  octaviaTraits,
  type AvailabilityZone,
  type Flavor,
  type OctaviaOptions,
  type OctaviaTraits,
} from './octavia-traits.ts';
import { makeFloatingIp } from './neutron-floating-ips.ts';
import { labFlavors, novaStates, type NovaFlavor, type Server } from './nova-objects.ts';
import { makeServer, removeServer, type ServerWish } from './nova-servers.ts';
import { dropLoadBalancer } from './octavia-lock.ts';
import { addNetwork } from './neutron-network-requests.ts';
import { labExtensions } from './neutron-extensions.ts';
import { labCidrs, labNetworks } from './neutron-networks.ts';
import { joinAll } from './neutron-routers.ts';
import { makeSecurityGroup } from './neutron-security-groups.ts';
import { createSubnet } from './neutron-subnets.ts';

/**
 * Everything the simulated cloud knows, Octavia's rows included. Tests may change it behind the controller's back.
 */
export class CloudWorld extends OctaviaRows {
  readonly projectId = randomBytes(16).toString('hex');
  readonly octaviaUserId = randomBytes(16).toString('hex');
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
    l7policy: -1,
    l7rule: -1,
    port: 2000,
    floatingip: 200,
    security_group: 500,
    security_group_rule: 5000,
  };
  readonly networks: neutron.Network[];
  readonly subnets: neutron.Subnet[];
  readonly ports: neutron.Port[] = [];
  readonly floatingips: neutron.FloatingIp[] = [];
  readonly routers: neutron.Router[] = [];
  /** Neutron's `max_routes`. */
  maxRoutes = 30;
  /** Aliases of what Neutron can do; a test takes one out for an older cloud. */
  readonly extensions: string[] = [...labExtensions];
  readonly securityGroups: neutron.SecurityGroup[] = [];
  readonly securityGroupRules: neutron.SecurityGroupRule[] = [];
  readonly servers: Server[] = [];
  readonly novaFlavors: NovaFlavor[] = labFlavors(randomUUID);
  readonly secrets: Secret[] = [];
  readonly secretContainers: SecretContainer[] = [];
  /** What an operator has set up in Octavia; the lab has none of either. */
  readonly flavors: Flavor[] = [];
  readonly availabilityZones: AvailabilityZone[] = [];
  readonly octaviaTraits: OctaviaTraits;
  readonly addresses: AddressPool;

  constructor(clock: SandboxClock, pendingMs: number, cidrs = labCidrs, options: OctaviaOptions = {}) {
    super(clock, pendingMs);
    this.octaviaTraits = octaviaTraits(options);
    ({ networks: this.networks, subnets: this.subnets } = labNetworks(
      this.projectId,
      clock.seconds(),
      cidrs,
    ));
    for (const owner of [this.projectId, this.otherProjectId])
      makeSecurityGroup(this, owner, 'default', { description: 'Default security group' });
    joinAll(this, 'router');
    this.addresses = new AddressPool(this.subnets, this.ports, this.floatingips);
  }

  /** The router of the networks at the start. */
  get routerId(): string {
    return this.routers[0]?.id ?? '';
  }

  newId(): string {
    return randomUUID();
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
  addFloatingIp(address?: string, description = ''): neutron.FloatingIp {
    const network = this.networks.find((one) => one['router:external']);
    const ip = makeFloatingIp(this, this.projectId, network?.id ?? '', undefined, address);
    ip.description = description;
    this.floatingips.push(ip);
    return ip;
  }

  /** A further network of the project with one IPv4 subnet. */
  addNetwork(name: string, cidr: string): neutron.Network {
    const network = addNetwork(this, this.projectId, name);
    createSubnet(this, this.projectId, { network_id: network.id, cidr, name: `${name}-v4` });
    return network;
  }

  /** A server with its ports, as Nova's fake driver makes it. */
  addNovaServer(name: string, wish: ServerWish = {}): Server {
    return makeServer(this, name, wish);
  }

  /** Stopped, shelved, broken: whatever Nova could say of a server. */
  setServerStatus(id: string, status: string): void {
    const server = this.servers.find((one) => one.id === id);
    if (!server || !(status in novaStates)) throw new Error(`no server ${id}, or no status ${status}`);
    server.status = status;
    server.updated = this.clock.seconds();
  }

  /** The server is gone from Nova, its ports from Neutron. */
  removeNovaServer(id: string): void {
    removeServer(this, id);
  }

  /** How the cluster's half of the sandbox makes the servers behind its Nodes. */
  serverMaker(): ServerMaker {
    return {
      create: (name, address) => {
        const { id, zone, flavor } = this.addNovaServer(name, { address });
        const ports = this.ports.filter((one) => one.device_id === id);
        const addresses = ports.flatMap((port) => port.fixed_ips.map((ip) => ip.ip_address));
        return { id, addresses, zone, type: flavor.name };
      },
      remove: (id) => {
        this.removeNovaServer(id);
      },
    };
  }
}
