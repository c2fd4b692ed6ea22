import type { AccessRule } from './keystone/access-rules.ts';
import type { Lots } from '../lots.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import { AddressPool } from './neutron/address-pool.ts';
import type { Secret, SecretContainer } from './barbican/objects.ts';
import { labExtensions } from './neutron/extensions.ts';
import { labNetworks, type labCidrs } from './neutron/networks.ts';
import type * as neutron from './neutron/objects.ts';
import { ruleKey } from './neutron/rule-key.ts';
import { itself, Rows } from './rows.ts';
import { labFlavors, type NovaFlavor, type Server } from './nova/objects.ts';
import { OctaviaRows } from './octavia/rows.ts';
import { octaviaTraits } from './octavia/traits.ts';
import type { AvailabilityZone, Flavor, OctaviaOptions, OctaviaTraits } from './octavia/traits.ts';

const project_id = (row: { readonly project_id: string }): string => row.project_id;

/** Everything the simulated cloud knows, Octavia's rows included. */
export class CloudState extends OctaviaRows {
  readonly lots: Lots;
  readonly projectId: string;
  readonly octaviaUserId: string;
  readonly otherProjectId: string;
  readonly applicationCredential: {
    readonly id: string;
    readonly name: string;
    readonly secret: string;
    /** All that it may call; undefined: what its user may. */
    accessRules?: readonly AccessRule[];
  };
  /** The quotas of the project; -1 is unlimited. Octavia's are its defaults, Neutron's are the lab's. */
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
  readonly networks = Rows.by<neutron.Network>({ fixed: { project_id } });
  readonly subnets = Rows.by<neutron.Subnet>({ fixed: { project_id, network_id: (row) => row.network_id } });
  readonly ports = Rows.by<neutron.Port>({
    fixed: { project_id, network_id: (row) => row.network_id },
    live: {
      device_id: itself,
      device_owner: itself,
      fixed_ips: (value) => (value as neutron.FixedIp[]).flatMap((ip) => [ip.ip_address, ip.subnet_id]),
      security_groups: (value) => value as readonly string[],
    },
  });
  readonly floatingips = Rows.by<neutron.FloatingIp>({
    fixed: { project_id, floating_ip_address: (row) => row.floating_ip_address },
    live: { port_id: itself, description: itself, tags: (value) => value as readonly string[] },
  });
  readonly routers = Rows.by<neutron.Router>({ fixed: { project_id } });
  /** Neutron's `max_routes`. */
  maxRoutes = 30;
  /** Aliases of Neutron's extensions; a test removes one to have an older cloud. */
  readonly extensions: string[] = [...labExtensions];
  readonly securityGroups = Rows.by<neutron.SecurityGroup>({
    fixed: { project_id },
    live: { name: itself, tags: (value) => value as readonly string[] },
  });
  readonly securityGroupRules = Rows.by<neutron.SecurityGroupRule>({
    fixed: {
      project_id,
      security_group_id: (row) => row.security_group_id,
      remote_group_id: (row) => String(row['remote_group_id']),
      same: ruleKey,
    },
  });
  /** The lab's Neutron has no QoS. This one has it as soon as there is a policy. */
  readonly qosPolicies = Rows.by<neutron.NeutronObject>({ fixed: { project_id } });
  readonly servers = Rows.by<Server>({ fixed: { tenant_id: (row) => row.tenant_id } });
  readonly novaFlavors: NovaFlavor[];
  /** What Nova's endpoint in the catalog ends in, and its newest microversion 2.x. Both may change. */
  readonly nova: { endpoint: string; newest: number } = { endpoint: '/v2.1', newest: 93 };
  readonly secrets = Rows.by<Secret>({ fixed: { project_id, name: (row) => row.name } });
  readonly secretContainers = Rows.by<SecretContainer>({ fixed: { project_id, name: (row) => row.name } });
  /** The flavors and availability zones that an operator set up in Octavia; the lab has neither. */
  readonly flavors: Flavor[] = [];
  readonly availabilityZones: AvailabilityZone[] = [];
  /** What references of Barbican begin with (`host_href`), if that is not the URL in the catalog. */
  barbicanHref: string | undefined;
  readonly octaviaTraits: OctaviaTraits;
  readonly addresses: AddressPool;

  constructor(
    clock: SandboxClock,
    pendingMs: number,
    cidrs: typeof labCidrs,
    options: OctaviaOptions,
    lots: Lots,
  ) {
    super(clock, pendingMs);
    this.lots = lots;
    const hex = (): string => lots.bytes(16).toString('hex');
    this.projectId = hex();
    this.octaviaUserId = hex();
    this.otherProjectId = hex();
    this.applicationCredential = { id: hex(), name: 'levelset', secret: 'sandbox-secret' };
    this.novaFlavors = labFlavors(() => this.newId());
    this.octaviaTraits = octaviaTraits(options);
    const { networks, subnets } = labNetworks(() => this.newId(), this.projectId, clock.seconds(), cidrs);
    this.networks.push(...networks);
    this.subnets.push(...subnets);
    this.addresses = new AddressPool(this.subnets, this.ports, this.floatingips);
  }

  /** The router of the networks at the start. */
  get routerId(): string {
    return this.routers[0]?.id ?? '';
  }

  newId(): string {
    return this.lots.id();
  }

  /** Moves what every write of one of Neutron's objects moves. */
  touch(object: neutron.NeutronObject): void {
    object.revision_number += 1;
    object.updated_at = this.clock.seconds();
  }
}
