import type { ReachConfig } from '../model/load-balancer/reach.ts';
import type { ValuesOf } from './cloud-conf/options.ts';
import type { ControllerName } from './controllers.ts';

/** The whole configuration, from files, flags and variables. Frozen. */
export interface Config extends ReachConfig {
  readonly clusterName: string;
  readonly controllers: readonly ControllerName[];
  /** Only Services with this spec.loadBalancerClass. Absent: only Services without one. */
  readonly loadBalancerClass?: string;
  readonly stateNamespace: string;
  /** The ServiceAccount that levelset runs as, `NAMESPACE/NAME`. */
  readonly serviceAccount: string;
  readonly reconcileTimeoutMs: number;
  readonly sweepIntervalMs: number;
  readonly concurrentServiceSyncs: number;
  /** A load balancer is made while fewer than so many of the project are in Octavia's hands. */
  readonly concurrentLoadBalancers: number;
  /** How long a member keeps weight 0 when its Node leaves. 0: it goes at once. */
  readonly openstack: OpenStackConfig;
  readonly loadBalancer: LoadBalancerConfig;
  /** The options of [LoadBalancer] that cloud.conf sets. The others have the default of the controller that made the load balancer. */
  readonly given?: readonly string[];
  /** `--service-limits`: what multiplies the limits of one Service. Absent: 1. */
  readonly serviceLimits?: number;
  /** `--drift=report`: what somebody changed in OpenStack is reported and left, unless a Service asks for its repair. */
  readonly drift?: 'report';
  /** [LoadBalancerClass "name"] of cloud.conf, which an annotation names. It has nothing to do with spec.loadBalancerClass. */
  readonly loadBalancerClasses: Readonly<Record<string, LoadBalancerClassConfig>>;
  readonly networking: NetworkingConfig;
  readonly nodes: NodeConfig;
  /** Of all Nodes, and of load balancers whose Service has vanished, what may be deleted within an hour. 0: none ever. */
  readonly deletionPercent: number;
  readonly orphanDelayMs: number;
  /** The addresses of the pods, as `parseCidr` spells them; at most one CIDR of each IP family. */
  readonly clusterCidrs: readonly string[];
  /** Absent: levelset makes no routes. Present: there is a cluster CIDR. */
  readonly route?: { readonly routerId: string };
}

export interface OpenStackConfig {
  readonly authUrl: string;
  readonly region?: string;
  readonly interface: 'public' | 'internal' | 'admin';
  readonly credentials: Credentials;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly tlsInsecure: boolean;
  /** The time limit of one call: [Metadata] request-timeout of cloud.conf. */
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

export type LoadBalancerConfig = ValuesOf<'LoadBalancer'>;
export type LoadBalancerClassConfig = ValuesOf<'LoadBalancerClass'>;
export type NetworkingConfig = ValuesOf<'Networking'>;

export interface NodeConfig {
  /** `--regional-provider-id`, if there is a region. */
  readonly regionalProviderID: boolean;
}
