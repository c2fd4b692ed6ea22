import type { Flags } from '../../shared/config/flags/flags.ts';

/** The command line's flags, by their variables. */
export function readFlags(env: NodeJS.ProcessEnv): Flags {
  const flag = (name: string): string | undefined => env[`LEVELSET_${name}`];
  const flags: Record<keyof Flags, string | undefined> = {
    cloudConfig: flag('CLOUD_CONFIG'),
    cloudConfigText: flag('CLOUD_CONFIG_TEXT'),
    clusterName: flag('CLUSTER_NAME'),
    loadBalancerClass: flag('LOAD_BALANCER_CLASS'),
    namespace: flag('NAMESPACE'),
    adopt: flag('ADOPT'),
    reach: flag('REACH'),
    allowedReferences: flag('ALLOWED_REFERENCES'),
    controllers: flag('CONTROLLERS'),
    clusterCidr: flag('CLUSTER_CIDR'),
    configureCloudRoutes: flag('CONFIGURE_CLOUD_ROUTES'),
    discoverRouter: flag('DISCOVER_ROUTER'),
    allocateNodeCidrs: flag('ALLOCATE_NODE_CIDRS'),
    nodeCidrMaskSize: flag('NODE_CIDR_MASK_SIZE'),
    nodeCidrMaskSizeIpv4: flag('NODE_CIDR_MASK_SIZE_IPV4'),
    nodeCidrMaskSizeIpv6: flag('NODE_CIDR_MASK_SIZE_IPV6'),
    serviceClusterIpRange: flag('SERVICE_CLUSTER_IP_RANGE'),
    nodeNameFrom: flag('NODE_NAME_FROM'),
    shutdownStates: flag('SHUTDOWN_STATES'),
    nodeDeletionShare: flag('NODE_DELETION_SHARE'),
    reconcileTimeout: flag('RECONCILE_TIMEOUT'),
    sweepInterval: undefined,
    concurrentServiceSyncs: flag('CONCURRENT_SERVICE_SYNCS'),
    connectionDrainingTimeout: flag('CONNECTION_DRAINING_TIMEOUT'),
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value));
}
