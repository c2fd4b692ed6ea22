import type { NodeSelector } from '../model/node/node-selector.ts';
import type { ReachConfig } from '../model/load-balancer/reach.ts';
import type { ControllerName } from './controllers.ts';

/** The whole configuration after all files, flags and variables were read. Frozen. */
export interface Config extends ReachConfig {
  readonly clusterName: string;
  /** Those that run; what is not among them is not touched. */
  readonly controllers: readonly ControllerName[];
  /** Only Services of this spec.loadBalancerClass; without it those that have none. */
  readonly loadBalancerClass?: string;
  /** The namespace of levelset's own Leases and ConfigMaps. */
  readonly stateNamespace: string;
  /** The ServiceAccount that levelset runs as, `NAMESPACE/NAME`. */
  readonly serviceAccount: string;
  readonly reconcileTimeoutMs: number;
  readonly sweepIntervalMs: number;
  readonly concurrentServiceSyncs: number;
  /** How long a member of a node that leaves has weight 0 before it goes; 0: it goes at once. */
  readonly connectionDrainingMs: number;
  readonly openstack: OpenStackConfig;
  readonly loadBalancer: LoadBalancerConfig;
  /** Options of [LoadBalancer] that cloud.conf sets; the others have a default, which other controllers had otherwise. */
  readonly given?: readonly string[];
  /** What is written to what other controllers made: our tags, or not even these (`--adopt`). */
  readonly adopt?: 'names-only';
  /** [LoadBalancerClass "name"] of cloud.conf, which an annotation picks; not spec.loadBalancerClass. */
  readonly loadBalancerClasses: Readonly<Record<string, LoadBalancerClassConfig>>;
  readonly networking: NetworkingConfig;
  readonly nodes: NodeConfig;
  /** Where all pods have their addresses, as `parseCidr` spells it; at most one of each family. */
  readonly clusterCidrs: readonly string[];
  /** Absent: routes are for others. There is a cluster CIDR if it is here. */
  readonly route?: RouteConfig;
  /** Absent: Nodes get their podCIDRs from others. */
  readonly nodeCidrs?: NodeCidrConfig;
}

export interface OpenStackConfig {
  readonly authUrl: string;
  readonly region?: string;
  readonly interface: 'public' | 'internal' | 'admin';
  readonly credentials: Credentials;
  /** PEM text. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly tlsInsecure: boolean;
  /** [Metadata] request-timeout in cloud.conf: the limit of one call. */
  readonly requestTimeoutMs: number;
}

export type Credentials =
  | {
      readonly type: 'password';
      readonly user: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
      readonly password: string;
      readonly project: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
    }
  | {
      readonly type: 'application-credential';
      readonly id?: string;
      readonly name?: string;
      readonly user?: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
      readonly secret: string;
    };

export type DomainRef = { readonly id: string } | { readonly name: string };

/** [LoadBalancer] of cloud.conf (docs/sources/go-provider.md, "Section LoadBalancer"); names as there, in camel case. */
export interface LoadBalancerConfig {
  /** False: nothing is made, changed or deleted. */
  readonly enabled: boolean;
  readonly lbProvider: string;
  readonly lbMethod: string;
  readonly flavorId?: string;
  readonly availabilityZone?: string;
  readonly subnetId?: string;
  readonly memberSubnetId?: string;
  readonly networkId?: string;
  readonly floatingNetworkId?: string;
  readonly floatingSubnetId?: string;
  /** As model/network/subnet-choice.ts reads it, and the next one too. */
  readonly floatingSubnet?: string;
  readonly floatingSubnetTags?: string;
  readonly nodeSelector: NodeSelector;
  readonly createMonitor: boolean;
  readonly monitorDelay: number;
  readonly monitorTimeout: number;
  readonly monitorMaxRetries: number;
  readonly monitorMaxRetriesDown: number;
  readonly internalLb: boolean;
  readonly manageSecurityGroups: boolean;
  readonly defaultTlsContainerRef?: string;
  /** Barbican: what a container reference names is looked up before it is used. */
  readonly containerStore: 'barbican' | 'external';
  readonly maxSharedLb: number;
  /** With the PROXY protocol a name in place of the address, so that pods do not go past the load balancer. */
  readonly enableIngressHostname: boolean;
  readonly ingressHostnameSuffix: string;
  readonly cascadeDelete: boolean;
  readonly providerRequiresSerialApiCalls: boolean;
}

/**
 * [LoadBalancerClass "name"] of cloud.conf: what it names comes before [LoadBalancer] (docs/sources/go-provider.md,
 * "Section LoadBalancerClass").
 */
export type LoadBalancerClassConfig = Pick<
  LoadBalancerConfig,
  | 'subnetId'
  | 'memberSubnetId'
  | 'networkId'
  | 'floatingNetworkId'
  | 'floatingSubnetId'
  | 'floatingSubnet'
  | 'floatingSubnetTags'
>;

/**
 * [Networking] of cloud.conf: which addresses of its server a Node has (docs/sources/go-provider.md, "Section
 * Networking").
 */
export interface NetworkingConfig {
  /** Networks whose addresses are of type ExternalIP. */
  readonly publicNetworkNames: readonly string[];
  /** If there are any, only these networks give an InternalIP. */
  readonly internalNetworkNames: readonly string[];
  readonly ipv6SupportDisabled: boolean;
  /** CIDRs: addresses in the first come first. Empty: no other order than that of the ports. */
  readonly addressSortOrder: readonly string[];
}

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
