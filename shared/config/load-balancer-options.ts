import type { LoadBalancerConfig } from './config.ts';
import { flag, oneOf, seconds, text, whole, type Read } from './option.ts';

interface Option<T> {
  readonly key: string;
  readonly read: Read<NonNullable<T>>;
  readonly default: T;
}

type Options = { readonly [F in keyof Required<LoadBalancerConfig>]: Option<LoadBalancerConfig[F]> };

const METHODS = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'] as const;

/** [LoadBalancer] of cloud.conf with the defaults of the Go provider (openstack-ccm.md, 2.2). */
// prettier-ignore
export const LOAD_BALANCER_OPTIONS: Options = {
  lbProvider:            { key: 'lb-provider',              read: text,              default: 'amphora' },
  lbMethod:              { key: 'lb-method',                read: oneOf(...METHODS), default: 'ROUND_ROBIN' },
  subnetId:              { key: 'subnet-id',                read: text,              default: undefined },
  memberSubnetId:        { key: 'member-subnet-id',         read: text,              default: undefined },
  networkId:             { key: 'network-id',               read: text,              default: undefined },
  floatingNetworkId:     { key: 'floating-network-id',      read: text,              default: undefined },
  floatingSubnetId:      { key: 'floating-subnet-id',       read: text,              default: undefined },
  createMonitor:         { key: 'create-monitor',           read: flag,              default: false },
  monitorDelay:          { key: 'monitor-delay',            read: seconds,           default: 5 },
  monitorTimeout:        { key: 'monitor-timeout',          read: seconds,           default: 3 },
  monitorMaxRetries:     { key: 'monitor-max-retries',      read: whole(1, 10),      default: 1 },
  monitorMaxRetriesDown: { key: 'monitor-max-retries-down', read: whole(1, 10),      default: 3 },
  internalLb:            { key: 'internal-lb',              read: flag,              default: false },
};

/** The other options of the Go provider: a value other than its default has no effect here yet, and that is said. */
// prettier-ignore
export const UNUSED_OPTIONS: readonly Option<unknown>[] = [
  { key: 'enabled',                            read: flag,              default: true },
  { key: 'lb-version',                         read: oneOf('', 'v2'),   default: 'v2' },
  { key: 'floating-subnet',                    read: text,              default: '' },
  { key: 'floating-subnet-tags',               read: text,              default: '' },
  { key: 'manage-security-groups',             read: flag,              default: false },
  { key: 'node-selector',                      read: text,              default: '' },
  { key: 'cascade-delete',                     read: flag,              default: true },
  { key: 'flavor-id',                          read: text,              default: '' },
  { key: 'availability-zone',                  read: text,              default: '' },
  { key: 'default-tls-container-ref',          read: text,              default: '' },
  { key: 'container-store',                    read: text,              default: 'barbican' },
  { key: 'max-shared-lb',                      read: whole(1, 1_000_000), default: 2 },
  { key: 'provider-requires-serial-api-calls', read: flag,              default: false },
  { key: 'enable-ingress-hostname',            read: flag,              default: false },
  { key: 'ingress-hostname-suffix',            read: text,              default: 'nip.io' },
];
