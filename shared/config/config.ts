/** The whole configuration after all files, flags and variables were read. Frozen. */
export interface Config {
  readonly clusterName: string;
  /** Only Services of this spec.loadBalancerClass; without it those that have none. */
  readonly loadBalancerClass?: string;
  /** Namespace of Leases, state and (in the manifests) levelset itself. */
  readonly namespace: string;
  readonly reconcileTimeoutMs: number;
  readonly sweepIntervalMs: number;
  readonly concurrentServiceSyncs: number;
  readonly openstack: OpenStackConfig;
  readonly loadBalancer: LoadBalancerConfig;
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

/** [LoadBalancer] of cloud.conf (openstack-ccm.md, 2.2); names as there, in camel case. */
export interface LoadBalancerConfig {
  readonly lbProvider: string;
  readonly lbMethod: string;
  readonly subnetId?: string;
  readonly memberSubnetId?: string;
  readonly networkId?: string;
  readonly floatingNetworkId?: string;
  readonly floatingSubnetId?: string;
  readonly createMonitor: boolean;
  readonly monitorDelay: number;
  readonly monitorTimeout: number;
  readonly monitorMaxRetries: number;
  readonly monitorMaxRetriesDown: number;
  readonly internalLb: boolean;
}
