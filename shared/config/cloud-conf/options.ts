import { parseCidr } from '../../model/network/cidr.ts';
import type { Access } from '../clouds/access.ts';
import {
  domain,
  gcfgBoolean,
  id,
  milliseconds,
  NotAllowed,
  nameOfSubnet,
  oneWordOf,
  positions,
  searchOrder,
  seconds,
  selectorOfNodes,
  tagsOfSubnet,
  text,
  whole,
  type Camel,
  type Read,
} from '../read-value.ts';

export interface Option {
  readonly read: Read<unknown>;
  /** The value that counts without the option, as it would be written. */
  readonly default?: string;
  readonly repeatable?: true;
  /** What of `Access` the option sets. Its default counts only where clouds.yaml and the variables are silent, too. */
  readonly access?: keyof Access;
  readonly doc: string;
  readonly ignored?: string;
  readonly refused?: string;
  readonly warning?: (value: string) => string | undefined;
}

type Options = Readonly<Record<string, Option>>;

/** As in OCCM, references to any store but Barbican are not looked up. */
const store: Read<'barbican' | 'external'> = (value) => (value === 'barbican' ? value : 'external');

/** As in OCCM, items that are no CIDRs are left out. */
const cidrsInOrder: Read<readonly string[]> = (value) =>
  value === undefined
    ? new NotAllowed('a value after =')
    : itemsOf(value).flatMap((item) => parseCidr(item)?.text ?? []);

function noCidrs(value: string): string | undefined {
  const wrong = itemsOf(value).filter((item) => parseCidr(item) === undefined);
  return wrong.length === 0
    ? undefined
    : `has items that are not CIDRs; levelset ignores them${positions(value, wrong)}`;
}

function itemsOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const TRUST =
  'levelset logs in by a password or an application credential, which Keystone lets expire or be revoked by itself';

// prettier-ignore
const PLACES = {
  'subnet-id': { read: id, doc: 'subnet of the VIP, and of members where nothing else names theirs; without it and network-id, the VIP is in the subnet of the Nodes' },
  'member-subnet-id': { read: id, doc: 'subnet of members' },
  'network-id': { read: id, doc: 'network of the VIP' },
  'floating-network-id': { read: id, doc: 'network of floating IPs; without it the only external one' },
  'floating-subnet-id': { read: id, doc: 'subnet of floating IPs' },
  'floating-subnet': { read: nameOfSubnet, doc: 'subnets of floating IPs by name' },
  'floating-subnet-tags': { read: tagsOfSubnet, doc: 'subnets of floating IPs by tags: any of them' },
} as const satisfies Options;

/**
 * Every option of cloud.conf, with the defaults of OCCM (docs/sources/occm.md, "cloud.conf"). Types and
 * docs/reference/cloud-conf.md follow from it.
 */
// prettier-ignore
export const OPTIONS = {
  // docs/sources/occm.md, "Section Global"
  Global: {
    'auth-url': { read: text, access: 'authUrl', doc: 'Keystone; levelset adds /v3 where it is missing' },
    'region': { read: text, access: 'region', doc: 'region of the catalog, of a Node and, with `--regional-provider-id`, of its providerID' },
    'os-endpoint-type': { read: text, access: 'interface', default: 'public', doc: 'interface of the catalog: public, internal or admin' },
    'username': { read: text, access: 'username', doc: 'user by name, with its domain' },
    'user-id': { read: text, access: 'userId', doc: 'user by id' },
    'password': { read: text, access: 'password', doc: 'password of the user' },
    'tenant-id': { read: text, access: 'projectId', doc: 'project by id' },
    'tenant-name': { read: text, access: 'projectName', doc: 'project by name, with its domain' },
    'domain-id': { read: text, access: 'domainId', doc: 'domain of user and project, where each has none of its own' },
    'domain-name': { read: text, access: 'domainName', doc: 'the same by name' },
    'user-domain-id': { read: text, access: 'userDomainId', doc: 'domain of the user' },
    'user-domain-name': { read: text, access: 'userDomainName', doc: 'the same by name' },
    'tenant-domain-id': { read: text, access: 'projectDomainId', doc: 'domain of the project' },
    'tenant-domain-name': { read: text, access: 'projectDomainName', doc: 'the same by name' },
    'application-credential-id': { read: text, access: 'applicationCredentialId', doc: 'application credential by id' },
    'application-credential-name': { read: text, access: 'applicationCredentialName', doc: 'application credential by name, with its user' },
    'application-credential-secret': { read: text, access: 'applicationCredentialSecret', doc: 'secret of the application credential' },
    'ca-file': { read: text, access: 'caFile', doc: 'PEM file of authorities that levelset believes beside the public ones' },
    'cert-file': { read: text, access: 'certFile', doc: 'certificate that levelset shows; needs `key-file`' },
    'key-file': { read: text, access: 'keyFile', doc: 'its private key' },
    'tls-insecure': { read: gcfgBoolean, access: 'tlsInsecure', default: 'false', doc: '`true` alone turns the check of certificates off' },
    'token': { read: text, access: 'token', doc: 'token of Keystone', refused: 'a token ends, and nothing can renew it' },
    'trust-id': { read: text, access: 'trustId', doc: 'trust to log in by', refused: TRUST },
    'trustee-id': { read: text, access: 'trustId', doc: 'user of the trust', refused: TRUST },
    'trustee-password': { read: text, access: 'trustId', doc: 'password of that user', refused: TRUST },
    'use-clouds': { read: gcfgBoolean, default: 'false', doc: 'take what the file lacks from clouds.yaml' },
    'clouds-file': { read: text, doc: 'path of clouds.yaml' },
    'cloud': { read: text, doc: 'entry of clouds.yaml' },
  },
  LoadBalancer: {
    'enabled': { read: gcfgBoolean, default: 'true', doc: 'false: levelset touches no load balancer', warning: (value) => gcfgBoolean(value) === false ? 'is false: levelset makes, changes and deletes no load balancer' : undefined },
    'lb-version': { read: oneWordOf('v2'), default: 'v2', doc: 'version of the API', ignored: 'there is only v2' },
    'lb-provider': { read: text, default: 'amphora', doc: 'provider of Octavia' },
    'lb-method': { read: oneWordOf('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'), default: 'ROUND_ROBIN', doc: 'algorithm of pools' },
    'flavor-id': { read: id, doc: 'flavor of load balancers' },
    'availability-zone': { read: text, doc: 'availability zone of load balancers' },
    ...PLACES,
    'node-selector': { read: selectorOfNodes, default: '', doc: 'labels that a Node needs to be a member' },
    'create-monitor': { read: gcfgBoolean, default: 'false', doc: 'health monitor for each pool' },
    'monitor-delay': { read: seconds, default: '5s', doc: 'time between two checks' },
    'monitor-timeout': { read: seconds, default: '3s', doc: 'time that a check may take' },
    'monitor-max-retries': { read: whole(1, 10), default: '1', doc: 'successful checks until a member is up' },
    'monitor-max-retries-down': { read: whole(1, 10), default: '3', doc: 'failed checks until a member is down' },
    'internal-lb': { read: gcfgBoolean, default: 'false', doc: 'true: every load balancer is internal, whatever its annotation says' },
    'manage-security-groups': { read: gcfgBoolean, default: 'false', doc: 'open node ports to the load balancer by a security group of its own' },
    'default-tls-container-ref': { read: text, doc: 'certificate of every Service without its own: every port ends TLS' },
    'container-store': { read: store, default: 'barbican', doc: 'barbican: levelset looks a certificate up before it uses it; any other word: it does not' },
    'max-shared-lb': { read: whole(1, 1_000_000), default: '2', doc: 'how many Services one load balancer may have' },
    'enable-ingress-hostname': { read: gcfgBoolean, default: 'false', doc: 'publish a hostname in place of the address where members get the PROXY protocol' },
    'ingress-hostname-suffix': { read: domain, default: 'nip.io', doc: 'end of that hostname' },
    'cascade-delete': { read: gcfgBoolean, default: 'true', doc: 'delete a load balancer by one call', ignored: 'levelset deletes a load balancer by one call if everything on it is its own' },
    'provider-requires-serial-api-calls': { read: gcfgBoolean, default: 'false', doc: 'one call for each object', ignored: 'levelset makes a load balancer by one call' },
  },
  // docs/sources/occm.md, "Section LoadBalancerClass"
  LoadBalancerClass: PLACES,
  // docs/sources/occm.md, "Section Networking"
  Networking: {
    'public-network-name': { read: text, default: '', repeatable: true, doc: 'network whose addresses are of type ExternalIP; one line each' },
    'internal-network-name': { read: text, default: '', repeatable: true, doc: 'network whose addresses are of type InternalIP; one line each; without it all others' },
    'ipv6-support-disabled': { read: gcfgBoolean, default: 'false', doc: 'Nodes get no IPv6 addresses' },
    'address-sort-order': { read: cidrsInOrder, default: '', warning: noCidrs, doc: 'CIDRs; addresses in the first one come first' },
  },
  // docs/sources/occm.md, "Sections Route and Metadata"
  Route: {
    'router-id': { read: id, doc: 'router of the routes to Pods; without it there are none' },
  },
  Metadata: {
    'search-order': { read: searchOrder, doc: 'where a Node asks about itself', ignored: 'levelset asks Nova' },
    'request-timeout': { read: milliseconds, default: '60s', doc: 'time that one call of OpenStack may take' },
  },
} as const satisfies Readonly<Record<string, Options>>;

export type Section = keyof typeof OPTIONS;

/** The values of a section by the names of its options in camel case. One without a default may be absent. */
export type ValuesOf<S extends Section> = {
  readonly [K in Kept<S, { default: string }> as Camel<K & string>]: Value<(typeof OPTIONS)[S][K]>;
} & {
  readonly [K in Exclude<Kept<S, Option>, Kept<S, { default: string }>> as Camel<K & string>]?: Value<
    (typeof OPTIONS)[S][K]
  >;
};

type Kept<S extends Section, Row> = {
  [K in keyof (typeof OPTIONS)[S]]: (typeof OPTIONS)[S][K] extends { ignored: string } | { access: string }
    ? never
    : (typeof OPTIONS)[S][K] extends Row
      ? K
      : never;
}[keyof (typeof OPTIONS)[S]];

type Value<Row> = Row extends { read: Read<infer T> }
  ? Row extends { repeatable: true }
    ? readonly T[]
    : T
  : never;
