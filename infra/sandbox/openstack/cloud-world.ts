import { randomLots } from '../lots.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import type { ServerMaker } from '../server-maker.ts';
import { CloudState } from './cloud-state.ts';
import { makeFloatingIp } from './neutron/floating-ips.ts';
import { addNetwork, createSubnet } from './neutron/network-requests.ts';
import { labCidrs } from './neutron/networks.ts';
import type * as neutron from './neutron/objects.ts';
import { joinAll } from './neutron/routers.ts';
import { makeSecurityGroup } from './neutron/security-groups.ts';
import { novaStates, type Server } from './nova/objects.ts';
import { makeServer, removeServer, type ServerWish } from './nova/servers.ts';
import { dropLoadBalancer } from './octavia/lock.ts';
import type { OctaviaOptions } from './octavia/traits.ts';

/** The simulated cloud as it is at the start, and what tests, operators and failures do to it behind the controller's back. */
export class CloudWorld extends CloudState {
  constructor(
    clock: SandboxClock,
    pendingMs: number,
    cidrs = labCidrs,
    options: OctaviaOptions = {},
    lots = randomLots,
  ) {
    super(clock, pendingMs, cidrs, options, lots);
    for (const owner of [this.projectId, this.otherProjectId])
      makeSecurityGroup(this, owner, 'default', { description: 'Default security group' });
    joinAll(this, 'router');
  }

  /** Sets the provisioning status as an operator or a failure would; `updated_at` moves as with any row update. */
  setStatus(loadBalancerId: string, provisioningStatus: string): void {
    const found = this.loadbalancers.byId(loadBalancerId);
    if (!found) throw new Error(`no load balancer ${loadBalancerId}`);
    found.provisioning_status = provisioningStatus;
    found.updated_at = this.octaviaTime();
  }

  /** Deletes a load balancer with its children and VIP port at once, as somebody else would. */
  removeLoadBalancer(id: string): void {
    const found = this.loadbalancers.byId(id);
    if (found) dropLoadBalancer(this, found);
  }

  /** Adds a floating IP that nobody uses yet. Only an administrator could ask for a certain `address`. */
  addFloatingIp(address?: string, description = ''): neutron.FloatingIp {
    const network = this.networks.find((one) => one['router:external']);
    const ip = makeFloatingIp(this, this.projectId, network?.id ?? '', undefined, address);
    ip.description = description;
    this.floatingips.push(ip);
    return ip;
  }

  /** Adds a network of the project with one IPv4 subnet. */
  addNetwork(name: string, cidr: string): neutron.Network {
    const network = addNetwork(this, this.projectId, name);
    createSubnet(this, this.projectId, { network_id: network.id, cidr, name: `${name}-v4` });
    return network;
  }

  /** A server with its ports, as Nova's fake driver makes it. */
  addNovaServer(name: string, wish: ServerWish = {}): Server {
    return makeServer(this, name, wish);
  }

  /** Sets the status of a server to any that Nova knows. */
  setServerStatus(id: string, status: string): void {
    const server = this.servers.byId(id);
    if (!server || !(status in novaStates)) throw new Error(`no server ${id}, or no status ${status}`);
    server.status = status;
    server.updated = this.clock.seconds();
  }

  /** Removes a server from Nova and its ports from Neutron. */
  removeNovaServer(id: string): void {
    const server = this.servers.byId(id);
    if (server) removeServer(this, server);
  }

  /** How the cluster's half of the sandbox makes the servers behind its Nodes. */
  serverMaker(): ServerMaker {
    return {
      create: (name, address) => {
        const { id, zone, flavor } = this.addNovaServer(name, { address });
        const ports = this.ports.of('device_id', id);
        const addresses = ports.flatMap((port) => port.fixed_ips.map((ip) => ip.ip_address));
        return { id, addresses, zone, type: flavor.name };
      },
      remove: (id) => {
        this.removeNovaServer(id);
      },
    };
  }
}
