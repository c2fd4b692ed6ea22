/** The options of cloud.conf, section by section, as tables. */
import { parseCidr } from '../../model/network/cidr.ts';
import { readAccess, type Access } from '../clouds/access.ts';
import type { LoadBalancerClassConfig, LoadBalancerConfig, NetworkingConfig } from '../config.ts';
import {
  domain,
  gcfgBoolean,
  id,
  milliseconds,
  selectorOfNodes,
  oneWordOf,
  positions,
  searchOrder,
  seconds,
  nameOfSubnet,
  tagsOfSubnet,
  text,
  whole,
  type Read,
} from '../read-value.ts';

interface Option<T = unknown> {
  readonly key: string;
  readonly read: Read<NonNullable<T>>;
  readonly default: T;
  /** A warning about a value that is not the default. */
  readonly note?: string;
}

type Options = { readonly [F in keyof Required<LoadBalancerConfig>]: Option<LoadBalancerConfig[F]> };

const METHODS = ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'] as const;

/** Empty: the default. */
const method: Read<LoadBalancerConfig['lbMethod']> = (value) =>
  value === '' ? METHODS[0] : oneWordOf(...METHODS)(value);

/** As in the Go provider, references to any store but Barbican are not looked up. */
const store: Read<'barbican' | 'external'> = (value) => (value === 'barbican' ? value : 'external');

/** [LoadBalancer], with the defaults of the Go provider (docs/sources/go-provider.md, "Section LoadBalancer"). */
// prettier-ignore
export const LOAD_BALANCER_OPTIONS: Options = {
  enabled:               { key: 'enabled',                  read: gcfgBoolean,       default: true, note: 'is false: levelset makes, changes and deletes no load balancer' },
  lbProvider:            { key: 'lb-provider',              read: text,              default: 'amphora' },
  lbMethod:              { key: 'lb-method',                read: method,            default: 'ROUND_ROBIN' },
  flavorId:              { key: 'flavor-id',                read: id,                default: undefined },
  availabilityZone:      { key: 'availability-zone',        read: text,              default: undefined },
  subnetId:              { key: 'subnet-id',                read: id,                default: undefined },
  memberSubnetId:        { key: 'member-subnet-id',         read: id,                default: undefined },
  networkId:             { key: 'network-id',               read: id,                default: undefined },
  floatingNetworkId:     { key: 'floating-network-id',      read: id,                default: undefined },
  floatingSubnetId:      { key: 'floating-subnet-id',       read: id,                default: undefined },
  floatingSubnet:        { key: 'floating-subnet',          read: nameOfSubnet,        default: undefined },
  floatingSubnetTags:    { key: 'floating-subnet-tags',     read: tagsOfSubnet,        default: undefined },
  nodeSelector:          { key: 'node-selector',            read: selectorOfNodes,      default: {} },
  createMonitor:         { key: 'create-monitor',           read: gcfgBoolean,       default: false },
  monitorDelay:          { key: 'monitor-delay',            read: seconds,           default: 5 },
  monitorTimeout:        { key: 'monitor-timeout',          read: seconds,           default: 3 },
  monitorMaxRetries:     { key: 'monitor-max-retries',      read: whole(1, 10),      default: 1 },
  monitorMaxRetriesDown: { key: 'monitor-max-retries-down', read: whole(1, 10),      default: 3 },
  internalLb:            { key: 'internal-lb',              read: gcfgBoolean,       default: false },
  manageSecurityGroups:  { key: 'manage-security-groups',   read: gcfgBoolean,       default: false },
  defaultTlsContainerRef: { key: 'default-tls-container-ref', read: text,            default: undefined },
  containerStore:        { key: 'container-store',          read: store,             default: 'barbican' },
  maxSharedLb:           { key: 'max-shared-lb',            read: whole(1, 1_000_000), default: 2 },
  enableIngressHostname: { key: 'enable-ingress-hostname',  read: gcfgBoolean,       default: false },
  ingressHostnameSuffix: { key: 'ingress-hostname-suffix',  read: domain,            default: 'nip.io' },
  cascadeDelete:         { key: 'cascade-delete',           read: gcfgBoolean,       default: true, note: 'has no effect: levelset deletes a load balancer by one call if everything on it is its own' },
  providerRequiresSerialApiCalls: { key: 'provider-requires-serial-api-calls', read: gcfgBoolean, default: false, note: 'has no effect: levelset makes a load balancer by one call' },
};

/**
 * The options of [LoadBalancer] that [LoadBalancerClass "name"] may have, too (docs/sources/go-provider.md, "Section
 * LoadBalancerClass").
 */
// prettier-ignore
export const CLASS_FIELDS: readonly (keyof LoadBalancerClassConfig)[] = [
  'subnetId', 'memberSubnetId', 'networkId',
  'floatingNetworkId', 'floatingSubnetId', 'floatingSubnet', 'floatingSubnetTags',
];

/** lb-version may be v2, and has no effect. */
const LB_VERSION: Option = { key: 'lb-version', read: oneWordOf('v2'), default: 'v2' };

interface NetworkingOption {
  readonly key: string;
  readonly read: Read<unknown>;
  /** The option has one line for each of its values. */
  readonly repeatable?: true;
  /** A warning about a value that is used all the same. */
  readonly remark?: (value: string) => string | undefined;
}

/** [Networking] (docs/sources/go-provider.md, "Section Networking"). */
// prettier-ignore
const NETWORKING_OPTIONS: Readonly<Record<keyof NetworkingConfig, NetworkingOption>> = {
  publicNetworkNames:   { key: 'public-network-name',   read: text, repeatable: true },
  internalNetworkNames: { key: 'internal-network-name', read: text, repeatable: true },
  ipv6SupportDisabled:  { key: 'ipv6-support-disabled', read: gcfgBoolean },
  addressSortOrder:     { key: 'address-sort-order',    read: text, remark: noCidrs },
};

/** [Networking] with its defaults. `value` returns what cloud.conf has for a key. */
export function networkingConfig(value: (key: string) => unknown = () => undefined): NetworkingConfig {
  const names = (field: 'publicNetworkNames' | 'internalNetworkNames'): readonly string[] => {
    const set = value(NETWORKING_OPTIONS[field].key);
    return Array.isArray(set) ? [...new Set(set.map(String))].filter((name) => name !== '') : [];
  };
  const order = value(NETWORKING_OPTIONS.addressSortOrder.key);
  return {
    publicNetworkNames: names('publicNetworkNames'),
    internalNetworkNames: names('internalNetworkNames'),
    ipv6SupportDisabled: value(NETWORKING_OPTIONS.ipv6SupportDisabled.key) === true,
    addressSortOrder: items(typeof order === 'string' ? order : '').flatMap(
      (item) => parseCidr(item)?.text ?? [],
    ),
  };
}

/** A warning about items that are no CIDRs. As in the Go provider, the other items still count. */
function noCidrs(value: string): string | undefined {
  const wrong = items(value).filter((item) => parseCidr(item) === undefined);
  return wrong.length === 0
    ? undefined
    : `has items that are no CIDRs, which levelset ignores${positions(value, wrong)}`;
}

function items(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const ACCESS_KEYS: Readonly<Record<keyof Access, readonly string[]>> = {
  authUrl: ['auth-url'],
  region: ['region'],
  interface: ['os-endpoint-type'],
  username: ['username'],
  userId: ['user-id'],
  password: ['password'],
  projectId: ['tenant-id'],
  projectName: ['tenant-name'],
  domainId: ['domain-id'],
  domainName: ['domain-name'],
  userDomainId: ['user-domain-id'],
  userDomainName: ['user-domain-name'],
  projectDomainId: ['tenant-domain-id'],
  projectDomainName: ['tenant-domain-name'],
  applicationCredentialId: ['application-credential-id'],
  applicationCredentialName: ['application-credential-name'],
  applicationCredentialSecret: ['application-credential-secret'],
  caFile: ['ca-file'],
  certFile: ['cert-file'],
  keyFile: ['key-file'],
  tlsInsecure: ['tls-insecure'],
  token: ['token'],
  trustId: ['trust-id', 'trustee-id', 'trustee-password'],
  defaultDomainId: [],
  defaultDomainName: [],
  authType: [],
};

/**
 * [Global]: how to reach OpenStack and log in (docs/sources/go-provider.md, "Section Global"). `value` returns what
 * cloud.conf has for a key.
 */
export function readGlobal(value: (key: string) => string | undefined): Access {
  return readAccess(ACCESS_KEYS, value);
}

interface KnownOption extends Pick<Option, 'key' | 'note'> {
  readonly read: Read<unknown>;
  readonly default?: unknown;
  readonly repeatable?: true;
  readonly remark?: (value: string) => string | undefined;
}

const known = (key: string, read: Read<unknown>): KnownOption => ({ key, read });

/** The options of every section that levelset reads. */
export const OPTIONS: Readonly<Record<string, readonly KnownOption[]>> = {
  global: [
    ...Object.values(ACCESS_KEYS)
      .flat()
      .map((key) => known(key, key === 'tls-insecure' ? gcfgBoolean : text)),
    known('use-clouds', gcfgBoolean),
    known('clouds-file', text),
    known('cloud', text),
  ],
  loadbalancer: [...Object.values(LOAD_BALANCER_OPTIONS), LB_VERSION],
  loadbalancerclass: CLASS_FIELDS.map((field) => LOAD_BALANCER_OPTIONS[field]),
  networking: Object.values(NETWORKING_OPTIONS),
  // docs/sources/go-provider.md, "Sections Route and Metadata"
  route: [known('router-id', id)],
  // levelset asks Nova alone, so that search-order has no effect
  metadata: [known('search-order', searchOrder), known('request-timeout', milliseconds)],
};
