import type { Config, LoadBalancerConfig } from '../../shared/config/config.ts';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';

const OTHER = { name: 'other', domain: { name: 'Default' } };
/** Credentials for the second project of a sandbox. */
export const OTHER_PROJECT: Config['openstack']['credentials'] = {
  ...{ type: 'password', user: OTHER, password: 'other', project: OTHER },
};

/** A configuration as cloud.conf's defaults make it, but with monitors, for Services alone. */
export function aConfig(
  authUrl = 'http://127.0.0.1:1/v3',
  loadBalancer: Partial<LoadBalancerConfig> = {},
): Config {
  const defaults = readCloudConf('', '');
  return {
    clusterName: 'kubernetes',
    controllers: ['service-lb-controller'],
    stateNamespace: 'levelset',
    serviceAccount: 'levelset/levelset',
    reconcileTimeoutMs: 60_000,
    sweepIntervalMs: 300_000,
    concurrentServiceSyncs: 10,
    concurrentLoadBalancers: 6,
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
    networking: defaults.networking,
    nodes: { regionalProviderID: false },
    deletionPercent: 10,
    orphanDelayMs: 0,
    clusterCidrs: [],
    loadBalancerClasses: { internet: { floatingSubnet: 'public-*' } },
    loadBalancer: { ...defaults.loadBalancer, createMonitor: true, ...loadBalancer },
  };
}
