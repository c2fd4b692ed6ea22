/** How Nodes find their servers, and follow them when these stop or are gone. */
export interface NodeConfig {
  /** OS_CCM_REGIONAL: what is written is `openstack://region/id`; then there is a region. */
  readonly regionalProviderID: boolean;
  readonly nameFrom: NodeNameFrom;
  /** In these a server counts as shut down. */
  readonly shutdownStates: readonly ShutdownState[];
  /** How many of all Nodes may be deleted within an hour, in percent; 0: none ever. */
  readonly deletionPercent: number;
}

/**
 * What of a server is compared with the Node's name while there is no better proof: its name; its hostname; or the first label of its name,
 * with the first label of the Node's (`web-1` and `web-1.example.org`).
 */
export type NodeNameFrom = 'name' | 'hostname' | 'first-label';

export type ShutdownState = 'SHUTOFF' | 'SHELVED_OFFLOADED' | 'SUSPENDED';

/** [Route] of cloud.conf, or --discover-router. */
export interface RouteConfig {
  /** Undefined: the one that the Nodes are behind. */
  readonly routerId?: string;
}

/** What Nodes get as podCIDRs, one of each range. */
export interface NodeCidrConfig {
  readonly ranges: readonly {
    readonly clusterCidr: string;
    readonly family: 4 | 6;
    readonly maskSize: number;
  }[];
  /** CIDRs of Services, which no Node gets a part of. */
  readonly serviceCidrs: readonly string[];
}
