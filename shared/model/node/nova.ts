/** Attributes of Nova's servers and of their ports. Only `id` is certain. */

export interface Server {
  readonly id: string;
  readonly name?: string;
  readonly status?: ServerStatus;
  readonly tenant_id?: string;
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** IP addresses by the network's name. Several networks may have one name. */
  readonly addresses?: Readonly<Record<string, readonly ServerAddress[] | null>> | null;
  readonly accessIPv4?: string | null;
  readonly accessIPv6?: string | null;
  readonly flavor?: ServerFlavor | null;
  readonly 'OS-EXT-AZ:availability_zone'?: string | null;
}

export interface ServerAddress {
  readonly addr: string;
  readonly version?: number;
  readonly 'OS-EXT-IPS:type'?: 'fixed' | 'floating';
  readonly 'OS-EXT-IPS-MAC:mac_addr'?: string;
}

/** The flavor of a server. Before microversion 2.47 it has only `id`; since then it is embedded, without an id. */
export interface ServerFlavor {
  readonly id?: string;
  readonly original_name?: string;
}

export interface NeutronPort {
  readonly id: string;
  readonly network_id?: string;
  readonly device_id?: string;
  readonly status?: string;
  readonly fixed_ips?: readonly { readonly ip_address: string; readonly subnet_id?: string }[] | null;
  readonly trunk_details?: {
    readonly sub_ports?: readonly { readonly port_id: string }[] | null;
  } | null;
}

/** A sub-port of a trunk, with the name of its network. Nova does not know sub-ports. */
export interface Subport {
  readonly port: NeutronPort;
  readonly networkName: string;
}

type ServerStatus =
  | 'ACTIVE'
  | 'BUILD'
  | 'DELETED'
  | 'ERROR'
  | 'HARD_REBOOT'
  | 'MIGRATING'
  | 'PASSWORD'
  | 'PAUSED'
  | 'REBOOT'
  | 'REBUILD'
  | 'RESCUE'
  | 'RESIZE'
  | 'REVERT_RESIZE'
  | 'SHELVED'
  | 'SHELVED_OFFLOADED'
  | 'SHUTOFF'
  | 'SOFT_DELETED'
  | 'SUSPENDED'
  | 'UNKNOWN'
  | 'VERIFY_RESIZE';
