import { chooseByName, chooseByTags, type Choice } from '../../model/text/subnet-choice.ts';
import { NODE_SELECTOR, parseNodeSelector, type NodeSelector } from '../../model/node/node-set.ts';
import {
  matching,
  OBJECT_NAME,
  uuid,
  type Parser,
  bool,
  exactBool,
  hostname,
  list,
  oneOf,
  approval,
  proxyProtocol,
  redirectCode,
  secretName,
  sourceRanges,
  tlsReference,
} from '../../model/text/parsers.ts';
import {
  DESCRIPTION_MARK,
  LONGEST_DESCRIPTION,
  LOAD_BALANCER_ID,
  LOAD_BALANCER_NAME,
  TLS_SECRET,
  isReserved,
  LONGEST_USER_TAG,
} from '../../model/ownership.ts';
import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import { ANNOTATION_PREFIX, KINX, OCCM, own } from '../../model/annotation-prefixes.ts';
import { attributesOf } from '../../model/attributes.ts';
import type { AnnotationColumns, Need } from '../../model/attributes/attribute-row.ts';
import type { ResourceKind, ResourceTypes } from '../../model/resources.ts';
import { CLASS } from './service-config.ts';

/** Labels of nodes. An empty value selects every node, whatever cloud.conf says. */
export const nodeSelector: Parser<NodeSelector> = (text) => {
  const value = parseNodeSelector(text);
  return value ? { value } : { allowed: NODE_SELECTOR };
};

function choice<T>(choose: (text: string) => Choice<T>): Parser<string> {
  return (text) => {
    const value = text.trim();
    const read = choose(value);
    return 'allowed' in read ? read : { value };
  };
}

const subnetName = choice(chooseByName);
const subnetTags = choice(chooseByTags);

const operatorsName = matching(/^[^\p{Cc}]{1,255}$/u, 'the name of an Octavia flavor, or its id');

export const nodeName = matching(OBJECT_NAME, 'the name of a node');

const MOST_WEIGHT = 256;

/** Weights of members by the names of their nodes, within Octavia's limits. 0: no new connections. */
export const memberWeights: Parser<Readonly<Record<string, number>>> = (text) => {
  const pairs = text.split(/[\s,]+/).filter((item) => item !== '');
  const read = pairs.flatMap((item): (readonly [string, number])[] => {
    const [, name = '', weight] = /^(.+)=(\d{1,3})$/.exec(item) ?? [];
    return OBJECT_NAME.test(name) && Number(weight) <= MOST_WEIGHT ? [[name, Number(weight)]] : [];
  });
  const names = new Set(read.map(([name]) => name));
  return pairs.length > 0 && names.size === pairs.length
    ? { value: Object.fromEntries(read) }
    : { allowed: `nodes with weights from 0 to ${MOST_WEIGHT}, each once: node-a=10,node-b=0` };
};

/** The name of a class: the text in quotes in the head of a section of cloud.conf. */
const sectionName = matching(/^[^\p{Cc}]+$/u, 'the name of a [LoadBalancerClass "name"] of cloud.conf');

/** The name by which Services share a load balancer. It goes into a tag, so it has no comma, which separates tags in a query. */
const sharedName = matching(
  /^(cluster\/)?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  'a DNS label such as edge, or cluster/edge for one of all namespaces',
);

/** The id of a load balancer, or an empty value, which other controllers leave behind. */
export const loadBalancerId: Parser<string> = (text) => (text.trim() === '' ? { value: '' } : uuid(text));

const MOST_TAGS = 32;

/** Tags, split on commas as OCCM does. Tags by which controllers recognise what is theirs are refused (decision 31). */
const tagList: Parser<readonly string[]> = (text) => {
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  return tags.length > 0 && tags.length <= MOST_TAGS && tags.every(isTag)
    ? { value: tags }
    : {
        allowed: `at most ${MOST_TAGS} tags with commas between, each of at most ${LONGEST_USER_TAG} bytes and none that begins with levelset- or kube_service_`,
      };
};

function isTag(tag: string): boolean {
  return Buffer.byteLength(tag) <= LONGEST_USER_TAG && !/\p{Cc}/u.test(tag) && !isReserved(tag);
}

/** A description without the words by which controllers recognise a load balancer, or know how it behaves. */
export const description: Parser<string> = (text) => {
  const line = text.trim();
  const isFine =
    line !== '' &&
    Buffer.byteLength(line) <= LONGEST_DESCRIPTION &&
    !/\p{Cc}|,lb_version:/u.test(line) &&
    !line.includes(DESCRIPTION_MARK.trim());
  return isFine
    ? { value: line }
    : { allowed: `one line of at most ${LONGEST_DESCRIPTION} bytes, without what controllers write there` };
};

/**
 * What an annotation needs before it has an effect, as words that follow "needs": the needs of attributes (Need), http (a port of plain HTTP),
 * redirect (to HTTPS), check (a health monitor) and floating-ip (an external Service with an IPv4 address).
 */
export const NEEDS = {
  tcp: 'a TCP port',
  requests: 'a port that reads HTTP requests (levelset.openstack.org/protocol, or a certificate)',
  http: 'a port that speaks plain HTTP (levelset.openstack.org/protocol)',
  redirect: 'levelset.openstack.org/redirect-http with the value true',
  tls: 'a port that terminates TLS (a certificate in levelset.openstack.org/tls-container-refs or tls-secret)',
  hsts: 'levelset.openstack.org/hsts-max-age',
  'tls-to-members': 'levelset.openstack.org/pool-tls with the value true',
  check: 'health checks of members (loadbalancer.openstack.org/enable-health-monitor)',
  'http-check':
    'a health check over HTTP (levelset.openstack.org/monitor-type HTTP or HTTPS), and not the one of kube-proxy that externalTrafficPolicy Local brings',
  'floating-ip': 'a floating IP: an external Service with an IPv4 address',
} as const satisfies Readonly<Record<Need | 'http' | 'redirect' | 'check' | 'floating-ip', string>>;

export type AnnotationNeed = keyof typeof NEEDS;

/** `on` and `sets` name an attribute of a resource (shared/model/attributes/), or a setting, which code in desired/ reads. */
interface Row<On extends string, Sets extends string, T> extends AnnotationColumns<T> {
  readonly on: On;
  readonly sets: Sets;
  /** The attribute that it sets, or in which its setting ends up, such as `pool.protocol`, if that is exactly one. */
  readonly becomes?: `${ResourceKind}.${string}`;
  /** What a setting needs of a port; of an attribute, its rule says so. */
  readonly needs?: AnnotationNeed | null;
  /** The option of [LoadBalancer] that holds without the annotation. */
  readonly option?: keyof LoadBalancerConfig;
  /** The value without the annotation, or when that is gone. Neither: it is the option's, and without one levelset sets nothing. */
  readonly otherwise?: (config: Config) => NoInfer<T> | undefined;
}

export interface AnnotationRow extends Omit<Row<ResourceKind | keyof Settings, string, unknown>, 'needs'> {
  /** What it needs. If one need includes another, the included one comes first. */
  readonly needs: readonly AnnotationNeed[];
}

function setting<const On extends keyof Settings, const Sets extends string, T>(
  row: Row<On, Sets, T>,
): typeof row {
  return row;
}

const PORT_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;

/** Headers that say where a request came from, and those that describe a client's certificate (Octavia API, "Supported HTTP Header Insertions"). */
// prettier-ignore
const HEADERS = [
  'X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto',
  'X-SSL-Client-Verify', 'X-SSL-Client-Has-Cert', 'X-SSL-Client-DN', 'X-SSL-Client-CN', 'X-SSL-Issuer', 'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before', 'X-SSL-Client-Not-After',
] as const;

const LEGACY = 'service.beta.kubernetes.io/';

export const NODE_SELECTOR_ANNOTATION = `${OCCM}node-selector`;

/** Prefixes of annotations for levelset. An annotation with one of them that no row knows is a Problem. */
export const PREFIXES = [ANNOTATION_PREFIX, OCCM, `${LEGACY}openstack-`, KINX];

// prettier-ignore
const SHARING = [
  setting({ topic: 'load-balancer', names: [CLASS],                        on: 'Service',      sets: 'loadBalancerClass', parse: sectionName, unreadable: 'blocks', example: 'internet', doc: 'Class of cloud.conf: what it names comes before [LoadBalancer] there, and after annotations of the Service (with OCCM the class goes first where the Service is external).' }),
  setting({ topic: 'load-balancer', names: [LOAD_BALANCER_ID],             on: 'Service',      sets: 'loadBalancerId', parse: loadBalancerId, refers: 'loadbalancer', unreadable: 'blocks', example: 'LOAD_BALANCER_ID', doc: 'Load balancer to share with the Service that it was made for: one of the same namespace, or any other that consents by the tag levelset-allow=NAMESPACE on it (or whose operator does, by --allowed-references). levelset writes it too, on the owner; there it changes nothing. Beside load-balancer-address a controller wrote it: it counts only if that load balancer is there and names this Service.' }),
  setting({ topic: 'load-balancer', names: [LOAD_BALANCER_NAME],           on: 'Service',      sets: 'loadBalancerName', parse: sharedName, refers: 'loadbalancer', unreadable: 'blocks', example: 'shop', doc: 'Services of a namespace with the same name share one load balancer, which the first of them makes. cluster/NAME is for all namespaces; those that it was not made for need consent as above. At most max-shared-lb of cloud.conf. A Service that has a load balancer already stays there.' }),
];

/** Settings that end up in one attribute. Each follows the annotation of that attribute. */
// prettier-ignore
const OF_ATTRIBUTES = [
  setting({ topic: 'addresses', names: [own('additional-vip-subnet-ids')], on: 'Service',   sets: 'additionalVipSubnetIds', becomes: 'loadbalancer.additional_vips', parse: list(uuid), list: true, refers: 'subnet', unreadable: 'blocks', example: 'SECOND_SUBNET_ID', doc: 'Further subnets of the VIP’s network in which the load balancer has an address too, also of the same family; a dual-stack Service has one of its second family by itself. New load balancers only.' }),
  setting({ topic: 'load-balancer', names: [own('flavor')],                on: 'Service',      sets: 'flavor', becomes: 'loadbalancer.flavor_id', parse: operatorsName, refers: 'flavor', unreadable: 'blocks', example: 'large', doc: 'The same by name or by id.' }),
  setting({ topic: 'addresses', names: [`${OCCM}floating-subnet`],     on: 'Service',      sets: 'floatingSubnet', becomes: 'floatingip.subnet_id', parse: subnetName, option: 'floatingSubnet', refers: 'subnet', unreadable: 'blocks', example: 'public-*', doc: 'Subnets that may give the floating IP, by name; the first one, by name, with a free address does. New ones only.' }),
  setting({ topic: 'addresses', names: [`${OCCM}floating-subnet-tags`], on: 'Service',     sets: 'floatingSubnetTags', becomes: 'floatingip.subnet_id', parse: subnetTags, list: true, option: 'floatingSubnetTags', refers: 'subnet', unreadable: 'blocks', example: 'paid', doc: 'The same by tags: a,b any of them, &a,b all, !a,b none, !&a,b not all. (OCCM has the two negations the wrong way round.)' }),
  setting({ topic: 'protocol', names: [own('protocol'), `${KINX}backend-protocol`], on: 'ServicePort', sets: 'protocol', becomes: 'listener.protocol', needs: 'tcp', parse: oneOf(...PORT_PROTOCOLS), unreadable: 'blocks', example: 'http', doc: 'What a TCP port speaks; else its appProtocol says.' }),
  setting({ topic: 'protocol', names: [`${OCCM}x-forwarded-for`],        on: 'ServicePort', sets: 'xForwardedFor', becomes: 'listener.insert_headers', needs: 'requests', parse: bool, unreadable: 'blocks', example: 'true', doc: 'TCP ports speak HTTP, and requests carry X-Forwarded-For. OCCM makes HTTP listeners of UDP ports too, and cannot switch it on a port that is open.' }),
  setting({ topic: 'protocol', names: [`${OCCM}x-forwarded-port`],       on: 'ServicePort', sets: 'xForwardedPort', becomes: 'listener.insert_headers', needs: 'requests', parse: bool, unreadable: 'blocks', example: 'true', doc: 'The same for X-Forwarded-Port.' }),
  setting({ topic: 'protocol', names: [`${OCCM}x-forwarded-proto`],      on: 'ServicePort', sets: 'xForwardedProto', becomes: 'listener.insert_headers', needs: 'requests', parse: bool, unreadable: 'blocks', example: 'true', doc: 'The same for X-Forwarded-Proto.' }),
  setting({ topic: 'protocol', names: [own('insert-headers')],           on: 'ServicePort', sets: 'insertHeaders', becomes: 'listener.insert_headers', needs: 'requests', parse: list(oneOf(...HEADERS)), list: true, unreadable: 'blocks', example: 'X-Forwarded-For,X-Forwarded-Proto', doc: 'Headers that requests to an HTTP port carry to the members.' }),
  setting({ topic: 'tls', names: [own('tls-container-refs'), `${OCCM}default-tls-container-ref`, `${KINX}tls-container-ids`], on: 'ServicePort', sets: 'tlsReferences', becomes: 'listener.default_tls_container_ref', needs: 'tcp', parse: list(tlsReference), list: true, option: 'defaultTlsContainerRef', otherwise: ({ loadBalancer: { defaultTlsContainerRef: ref } }) => (ref === undefined ? undefined : [ref]), refers: 'barbican', orNone: true, unreadable: 'blocks', example: 'CERTIFICATE_ID', doc: 'TCP ports terminate TLS with these certificates of Barbican, each by id or address of a container or of a PKCS12 secret; the first is the default, the others are chosen by the name that the client sends (SNI).' }),
  setting({ topic: 'tls', names: [TLS_SECRET],            on: 'ServicePort', sets: 'tlsSecrets', becomes: 'listener.default_tls_container_ref', needs: 'tcp', parse: list(secretName), list: true, refers: 'Secret', unreadable: 'blocks', example: 'web-tls', doc: 'The same with certificates in Secrets of type kubernetes.io/tls of the Service’s namespace, by name: levelset keeps them in Barbican, a renewed one as soon as a sweep sees it. The namespace opts in by a Role (infra/kubernetes/tls-secrets.example.yaml).' }),
  setting({ topic: 'tls', names: [`${KINX}low-tlsv`],            on: 'ServicePort', sets: 'lowTls', becomes: 'listener.tls_versions', needs: 'tls', parse: bool, unreadable: 'blocks', example: 'true', doc: 'The name reads as the opposite: true turns TLS 1.0 and 1.1 off (TLSv1.2 and TLSv1.3 are left). Better: tls-versions.' }),
  setting({ topic: 'tls', names: [own('client-ca-tls-container-ref')],  on: 'ServicePort', sets: 'clientCa', becomes: 'listener.client_ca_tls_container_ref', needs: 'tls', parse: tlsReference, refers: 'barbican', unreadable: 'blocks', example: 'CA_ID', doc: 'Secret of Barbican with the certificates that may sign those of clients.' }),
  setting({ topic: 'tls', names: [own('client-crl-container-ref')],     on: 'ServicePort', sets: 'clientCrl', becomes: 'listener.client_crl_container_ref', needs: 'tls', parse: tlsReference, refers: 'barbican', unreadable: 'blocks', example: 'CRL_ID', doc: 'Secret of Barbican with the list of clients’ certificates that are withdrawn.' }),
  setting({ topic: 'protocol', names: [own('redirect-http'), `${KINX}redirect-http`], on: 'ServicePort', sets: 'redirectHttp', becomes: 'l7policy.action', needs: 'http', parse: bool, unreadable: 'blocks', example: 'true', doc: 'Requests to HTTP ports are answered with a redirect to HTTPS; needs a host.' }),
  setting({ topic: 'protocol', names: [own('redirect-host')],          on: 'ServicePort', sets: 'redirectHost', becomes: 'l7policy.redirect_prefix', needs: 'redirect', parse: hostname, unreadable: 'blocks', example: 'app.example.org', doc: 'Host that a redirect names; else that of loadbalancer.openstack.org/hostname.' }),
  setting({ topic: 'protocol', names: [own('redirect-http-code')],     on: 'ServicePort', sets: 'redirectHttpCode', becomes: 'l7policy.redirect_http_code', needs: 'redirect', parse: redirectCode, unreadable: 'default', example: '308', doc: 'Status code of a redirect; else 302.' }),
  setting({ topic: 'members', names: [`${OCCM}proxy-protocol`, `${KINX}proxy-protocol`], on: 'ServicePort', sets: 'proxyProtocol', becomes: 'pool.protocol', needs: 'tcp', parse: proxyProtocol, orNone: true, unreadable: 'blocks', example: 'true', doc: 'Members of TCP ports get the client’s address by the PROXY protocol: true or v1, or v2. levelset fills the new pool before the listener turns to it; OCCM removes the old one first.' }),
  setting({ topic: 'tls', names: [own('pool-ca-tls-container-ref')],  on: 'ServicePort', sets: 'poolCa', becomes: 'pool.ca_tls_container_ref', needs: 'tls-to-members', parse: tlsReference, refers: 'barbican', unreadable: 'blocks', example: 'CA_ID', doc: 'Secret of Barbican with the certificates that may sign those of members; without it any is taken.' }),
  setting({ topic: 'tls', names: [own('pool-tls-container-ref')],     on: 'ServicePort', sets: 'poolCertificate', becomes: 'pool.tls_container_ref', needs: 'tls-to-members', parse: tlsReference, refers: 'barbican', unreadable: 'blocks', example: 'CERTIFICATE_ID', doc: 'Certificate of Barbican that the load balancer shows to members.' }),
  setting({ topic: 'members', names: [`${OCCM}member-subnet-id`], on: 'Service', sets: 'memberSubnetId', becomes: 'member.subnet_id', parse: uuid, option: 'memberSubnetId', refers: 'subnet', orNone: true, unreadable: 'blocks', example: 'SUBNET_ID', doc: 'Subnet in which the nodes are reached. Another subnet takes a new pool, filled before the listener turns to it; without the annotation members stay where they are.' }),
  setting({ topic: 'members', names: [own('member-weights')],     on: 'ServicePort', sets: 'memberWeights', becomes: 'member.weight', parse: memberWeights, list: true, unreadable: 'blocks', example: 'node-1=10,node-2=0', doc: 'Shares of the new connections by node, 0 to 256; 0 drains it. Those of other nodes are left as they are, 1 when they are made.' }),
  setting({ topic: 'members', names: [own('backup-members')],     on: 'ServicePort', sets: 'backupMembers', becomes: 'member.backup', parse: list(nodeName), list: true, unreadable: 'blocks', example: 'node-3', doc: 'Nodes that get traffic only while no other can; if that were all of them, none is one.' }),
];

// prettier-ignore
const MONITOR = [
  setting({ topic: 'monitor', names: [`${OCCM}enable-health-monitor`],           on: 'ServicePort',   sets: 'monitor', becomes: 'healthmonitor.type', parse: bool,    option: 'createMonitor', unreadable: 'default', example: 'true', doc: 'Whether members are checked. Where traffic stays local they always are; OCCM then sends it to nodes without a Pod.' }),
];

// prettier-ignore
const FURTHER = [
  setting({ topic: 'members', names: [NODE_SELECTOR_ANNOTATION], on: 'Service', sets: 'nodeSelector', parse: nodeSelector, list: true, option: 'nodeSelector', unreadable: 'last', example: 'pool=edge', doc: 'Labels of the nodes that become members; empty: all nodes. If no node has them, levelset keeps the members.' }),
  setting({ topic: 'addresses', names: [`${LEGACY}openstack-internal-load-balancer`], on: 'Service', sets: 'internal', parse: bool, option: 'internalLb', unreadable: 'blocks', example: 'true', doc: 'No floating IP: the address is the VIP.' }),
  setting({ topic: 'addresses', names: [`${OCCM}keep-floatingip`],  on: 'Service', sets: 'keepFloatingip', parse: bool,     otherwise: () => false, unreadable: 'blocks', example: 'true', doc: 'The floating IP stays when the Service is deleted. Set this before; name the address in spec.loadBalancerIP of the next Service.' }),
  setting({ topic: 'addresses', names: [`${OCCM}hostname`],         on: 'Service', sets: 'hostname', parse: hostname, orNone: true, unreadable: 'default', example: 'app.example.org', doc: 'Published in the status in place of the address.' }),
  setting({ topic: 'addresses', names: [`${LEGACY}load-balancer-source-ranges`], on: 'Service', sets: 'sourceRanges', becomes: 'listener.allowed_cidrs', parse: sourceRanges, list: true, unreadable: 'blocks', example: '192.0.2.0/24,198.51.100.7/32', doc: 'CIDRs that may connect; spec.loadBalancerSourceRanges goes first. levelset ignores ranges of the other family and names them; with OCCM they stop the Service.' }),
  setting({ topic: 'addresses', names: [`${OCCM}enable-ingress-hostname`], on: 'Service', sets: 'ingressHostname', parse: exactBool, option: 'enableIngressHostname', unreadable: 'default', example: 'true', doc: 'While members get the PROXY protocol, the status has a name below ingress-hostname-suffix in place of the address.' }),
  setting({ topic: 'load-balancer', names: [own('tags'), `${OCCM}load-balancer-tags`], on: 'Service', sets: 'tags', becomes: 'loadbalancer.tags', parse: tagList, list: true, unreadable: 'default', example: 'paid,team=shop', doc: 'Tags of the load balancer, in addition to those that say whose it is. A tag that was there before stays when the annotation is removed.' }),
  setting({ topic: 'load-balancer', names: [own('listener-tags'), `${OCCM}listener-tags`], on: 'ServicePort', sets: 'listenerTags', becomes: 'listener.tags', parse: tagList, list: true, unreadable: 'default', example: 'paid', doc: 'The same on listeners.' }),
  setting({ topic: 'members', names: [own('pool-tags'), `${OCCM}pool-tags`], on: 'ServicePort', sets: 'poolTags', becomes: 'pool.tags', parse: tagList, list: true, unreadable: 'default', example: 'paid', doc: 'The same on pools.' }),
  setting({ topic: 'load-balancer', names: [own('description')], on: 'Service', sets: 'description', becomes: 'loadbalancer.description', parse: description, unreadable: 'default', example: 'Our shop', doc: 'What the description of the load balancer begins with; by what follows other controllers recognise it. Not on what kinx made, whose driver reads it.' }),
  setting({ topic: 'load-balancer', names: [own('drift')], on: 'Service', sets: 'drift', parse: oneOf('repair', 'report'), otherwise: (c) => c.drift ?? 'repair', unreadable: 'blocks', example: 'report', doc: 'What becomes of a change that somebody made in OpenStack to what the Service asks for: repair puts it back and says so, report only says so, and makes what is missing. Without it --drift decides.' }),
  setting({ topic: 'load-balancer', names: [own('approve')], on: 'Service', sets: 'approved', parse: list(approval), list: true, unreadable: 'default', example: '0123456789ab', doc: 'Changes that wait for a person, each by the hash that the plan and the condition name: to a load balancer of another controller, or such as need another load balancer.' }),
];

type Setting = (typeof SHARING | typeof OF_ATTRIBUTES | typeof MONITOR | typeof FURTHER)[number];

type SettingsOn<On> = {
  [R in Extract<Setting, { readonly on: On }> as R['sets']]: R extends AnnotationColumns<infer T> ? T : never;
};

interface Settings {
  Service: SettingsOn<'Service'>;
  ServicePort: SettingsOn<'ServicePort'>;
}

export type Targets = ResourceTypes & Settings;

type AnyRow = Row<AnnotationRow['on'], string, unknown>;

const annotationsOf = (kind: ResourceKind): readonly AnyRow[] =>
  Object.entries(attributesOf(kind)).flatMap(([sets, { annotation, needs = null }]): readonly AnyRow[] => {
    const becomes = `${kind}.${sets}` as const;
    const settings = OF_ATTRIBUTES.filter((one) => one.becomes === becomes);
    if (!annotation) return settings;
    const { option, otherwise: value, ...columns } = annotation;
    const otherwise = value === undefined ? {} : { otherwise: () => value };
    const ofOption = option === undefined ? {} : { option: option as keyof LoadBalancerConfig };
    return [{ on: kind, sets, becomes, needs, ...columns, ...ofOption, ...otherwise }, ...settings];
  });

function completed({ needs, ...row }: AnyRow): AnnotationRow {
  const { on, becomes, option } = row;
  const byOption = option && { otherwise: ({ loadBalancer }: Config) => loadBalancer[option] };
  const all: readonly (AnnotationNeed | null | undefined | false)[] = becomes?.startsWith('floatingip.')
    ? ['floating-ip']
    : [on === 'healthmonitor' && 'check', needs === 'hsts' && 'tls', needs];
  return { ...byOption, ...row, needs: all.filter((need) => !!need) };
}

export function targetOf({
  becomes,
}: AnnotationRow): readonly [kind: ResourceKind, attribute: string] | undefined {
  return becomes?.split('.') as [ResourceKind, string] | undefined;
}

/** Which annotation sets what. Keys and defaults are OCCM's, if it has the annotation (docs/sources/occm.md, "Annotations"). */
export const ANNOTATIONS: readonly AnnotationRow[] = [
  ...SHARING,
  ...(['loadbalancer', 'floatingip', 'listener', 'l7policy', 'pool'] as const).flatMap(annotationsOf),
  ...MONITOR,
  ...(['healthmonitor', 'member'] as const).flatMap(annotationsOf),
  ...FURTHER,
].map(completed);
