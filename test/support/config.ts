import type { Config, LoadBalancerConfig } from '../../shared/config/config.ts';
import { networkingConfig } from '../../shared/config/cloud-conf/options.ts';

/** A configuration as cloud.conf's defaults make it, for Services alone. */
export function aConfig(
  authUrl = 'http://127.0.0.1:1/v3',
  loadBalancer: Partial<LoadBalancerConfig> = {},
): Config {
  return {
    clusterName: 'kubernetes',
    controllers: ['service-lb-controller'],
    stateNamespace: 'levelset',
    serviceAccount: 'levelset/levelset',
    reconcileTimeoutMs: 60_000,
    sweepIntervalMs: 300_000,
    concurrentServiceSyncs: 10,
    concurrentLoadBalancers: 6,
    connectionDrainingMs: 0,
    openstack: {
      authUrl,
      interface: 'public',
      tlsInsecure: false,
      requestTimeoutMs: 10_000,
      credentials: {
        type: 'password',
        user: { name: 'demo', domain: { name: 'Default' } },
        password: 'demo',
        project: { name: 'demo', domain: { name: 'Default' } },
      },
    },
    networking: networkingConfig(),
    nodes: {
      regionalProviderID: false,
      nameFrom: 'name',
      shutdownStates: ['SHUTOFF'],
    },
    deletionPercent: 10,
    orphanDelayMs: 0,
    clusterCidrs: [],
    loadBalancerClasses: { internet: { floatingSubnet: 'public-*' } },
    loadBalancer: {
      enabled: true,
      lbProvider: 'amphora',
      lbMethod: 'ROUND_ROBIN',
      createMonitor: true,
      monitorDelay: 5,
      monitorTimeout: 3,
      monitorMaxRetries: 1,
      monitorMaxRetriesDown: 3,
      internalLb: false,
      nodeSelector: {},
      manageSecurityGroups: false,
      containerStore: 'barbican',
      maxSharedLb: 2,
      enableIngressHostname: false,
      ingressHostnameSuffix: 'nip.io',
      cascadeDelete: true,
      providerRequiresSerialApiCalls: false,
      ...loadBalancer,
    },
  };
}
