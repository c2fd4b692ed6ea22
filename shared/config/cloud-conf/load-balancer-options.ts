import type { LoadBalancerClassConfig, LoadBalancerConfig } from '../config.ts';
import {
  domain,
  flag,
  id,
  nodeSelector,
  oneOf,
  seconds,
  subnetName,
  subnetTags,
  text,
  whole,
  type Read,
} from './option.ts';

export interface Option<T = unknown> {
  readonly key: string;
  readonly read: Read<NonNullable<T>>;
  readonly default: T;
  /** What to say at start when the value is not the default. */
  readonly note?: string;
}

type Options = { readonly [F in keyof Required<LoadBalancerConfig>]: Option<LoadBalancerConfig[F]> };

const METHODS = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'] as const;

/** As in the Go provider, any store but Barbican is one whose references are not looked up. */
const store: Read<'barbican' | 'external'> = (value) => (value === 'barbican' ? value : 'external');

/**
 * [LoadBalancer] of cloud.conf with the defaults of the Go provider (docs/sources/go-provider.md, "Section
 * LoadBalancer").
 */
// prettier-ignore
export const LOAD_BALANCER_OPTIONS: Options = {
  enabled:               { key: 'enabled',                  read: flag,              default: true, note: 'is false: no load balancer is made, changed or deleted' },
  lbProvider:            { key: 'lb-provider',              read: text,              default: 'amphora' },
  lbMethod:              { key: 'lb-method',                read: oneOf(...METHODS), default: 'ROUND_ROBIN' },
  flavorId:              { key: 'flavor-id',                read: id,                default: undefined },
  availabilityZone:      { key: 'availability-zone',        read: text,              default: undefined },
  subnetId:              { key: 'subnet-id',                read: id,                default: undefined },
  memberSubnetId:        { key: 'member-subnet-id',         read: id,                default: undefined },
  networkId:             { key: 'network-id',               read: id,                default: undefined },
  floatingNetworkId:     { key: 'floating-network-id',      read: id,                default: undefined },
  floatingSubnetId:      { key: 'floating-subnet-id',       read: id,                default: undefined },
  floatingSubnet:        { key: 'floating-subnet',          read: subnetName,        default: undefined },
  floatingSubnetTags:    { key: 'floating-subnet-tags',     read: subnetTags,        default: undefined },
  nodeSelector:          { key: 'node-selector',            read: nodeSelector,      default: {} },
  createMonitor:         { key: 'create-monitor',           read: flag,              default: false },
  monitorDelay:          { key: 'monitor-delay',            read: seconds,           default: 5 },
  monitorTimeout:        { key: 'monitor-timeout',          read: seconds,           default: 3 },
  monitorMaxRetries:     { key: 'monitor-max-retries',      read: whole(1, 10),      default: 1 },
  monitorMaxRetriesDown: { key: 'monitor-max-retries-down', read: whole(1, 10),      default: 3 },
  internalLb:            { key: 'internal-lb',              read: flag,              default: false },
  manageSecurityGroups:  { key: 'manage-security-groups',   read: flag,              default: false },
  defaultTlsContainerRef: { key: 'default-tls-container-ref', read: text,            default: undefined },
  containerStore:        { key: 'container-store',          read: store,             default: 'barbican' },
  maxSharedLb:           { key: 'max-shared-lb',            read: whole(1, 1_000_000), default: 2 },
  enableIngressHostname: { key: 'enable-ingress-hostname',  read: flag,              default: false },
  ingressHostnameSuffix: { key: 'ingress-hostname-suffix',  read: domain,            default: 'nip.io' },
  cascadeDelete:         { key: 'cascade-delete',           read: flag,              default: true, note: 'has no effect: a load balancer goes by one call only when everything on it is ours' },
  providerRequiresSerialApiCalls: { key: 'provider-requires-serial-api-calls', read: flag, default: false, note: 'has no effect: a new load balancer is one call' },
};

/** [LoadBalancerClass "name"] of cloud.conf has some of them (docs/sources/go-provider.md, "Section LoadBalancerClass"). */
// prettier-ignore
export const CLASS_FIELDS: readonly (keyof LoadBalancerClassConfig)[] = [
  'subnetId', 'memberSubnetId', 'networkId',
  'floatingNetworkId', 'floatingSubnetId', 'floatingSubnet', 'floatingSubnetTags',
];

/** Known, and of no consequence. */
export const LB_VERSION: Option = { key: 'lb-version', read: oneOf('', 'v2'), default: 'v2' };
