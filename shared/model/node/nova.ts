/** What levelset reads of Nova's servers, and of Neutron's ports behind them. Only `id` is certain of what comes over the wire. */

export interface Server {
  readonly id: string;
  readonly name?: string;
  readonly status?: ServerStatus;
  readonly tenant_id?: string;
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** By the name of the network, which need not be the only one of that name. */
  readonly addresses?: Readonly<Record<string, readonly ServerAddress[] | null>> | null;
  /** Empty where none was set. */
  readonly accessIPv4?: string | null;
  readonly accessIPv6?: string | null;
  readonly flavor?: ServerFlavor | null;
  readonly 'OS-EXT-AZ:availability_zone'?: string | null;
  /** For everybody from microversion 2.90 on, before that for admins from 2.3 on. */
  readonly 'OS-EXT-SRV-ATTR:hostname'?: string | null;
}

export interface ServerAddress {
  readonly addr: string;
  readonly version?: number;
  readonly 'OS-EXT-IPS:type'?: 'fixed' | 'floating';
  readonly 'OS-EXT-IPS-MAC:mac_addr'?: string;
}

/** Before microversion 2.47 there is only `id`; from then on the flavor is embedded, without its id. */
export interface ServerFlavor {
  readonly id?: string;
  readonly original_name?: string;
}

/** A port of a server, or what hangs on a trunk below one. */
export interface NeutronPort {
  readonly id: string;
  readonly network_id?: string;
  readonly device_id?: string;
  /** ACTIVE, BUILD, DOWN or ERROR. */
  readonly status?: string;
  readonly fixed_ips?: readonly { readonly ip_address: string; readonly subnet_id?: string }[] | null;
  /** Of the parent of a trunk (extension trunk-details). */
  readonly trunk_details?: {
    readonly trunk_id?: string;
    readonly sub_ports?: readonly { readonly port_id: string }[] | null;
  } | null;
}

/** A sub-port of a trunk with the name of its network, under which Nova would list it if it knew of it. */
export interface Subport {
  readonly port: NeutronPort;
  readonly networkName: string;
}

/** The states that Nova shows (its API guide, "Server Concepts"). */
export type ServerStatus =
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
