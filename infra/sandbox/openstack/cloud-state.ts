import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxClock } from '../sandbox-clock.ts';
import { AddressPool } from './neutron/address-pool.ts';
import type { Secret, SecretContainer } from './barbican/objects.ts';
import { labExtensions } from './neutron/quotas.ts';
import { labNetworks, type labCidrs } from './neutron/networks.ts';
import type * as neutron from './neutron/objects.ts';
import { labFlavors, type NovaFlavor, type Server } from './nova/objects.ts';
import { OctaviaRows } from './octavia/rows.ts';
import {
  octaviaTraits,
  type AvailabilityZone,
  type Flavor,
  type OctaviaOptions,
  type OctaviaTraits,
} from './octavia/traits.ts';

/** Everything the simulated cloud knows, Octavia's rows included. */
export class CloudState extends OctaviaRows {
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

  constructor(clock: SandboxClock, pendingMs: number, cidrs: typeof labCidrs, options: OctaviaOptions) {
    super(clock, pendingMs);
    this.octaviaTraits = octaviaTraits(options);
    ({ networks: this.networks, subnets: this.subnets } = labNetworks(
      this.projectId,
      clock.seconds(),
      cidrs,
    ));
    this.addresses = new AddressPool(this.subnets, this.ports, this.floatingips);
  }

  /** The router of the networks at the start. */
  get routerId(): string {
    return this.routers[0]?.id ?? '';
  }

  newId(): string {
    return randomUUID();
  }
}
