/**
 * What has to stand in OpenStack for a Service, from its spec, its annotations and the Nodes. Written from the Service's
 * side and the documents (`docs/annotations.md`, the Octavia API reference), and imports nothing of the program: it must
 * not agree with the program's mistakes.
 */
import type { Node, Service, ServicePort } from '../../../shared/model/kubernetes.ts';
import type { Attributes, Picture } from './picture.ts';

/** Where the lab has its things, and what its cloud.conf says. */
export interface Setting {
  readonly clusterId: string;
  readonly clusterName: string;
  readonly publicNetwork: string;
  readonly privateSubnet: string;
  readonly privateCidr: string;
}

/** What the load balancer has beyond the Service itself, as found. */
export interface Placed {
  readonly floatingIP: string | undefined;
  readonly vip: string;
  /** Somebody's own load balancer, on which the Service is a guest: it has no floating IP and keeps what it is. */
  readonly isGuest: boolean;
  readonly isShared: boolean;
  /** It has the name that levelset gave it. Of one that was given another name the whole, such as its address, is a person's. */
  readonly isMade: boolean;
}

const OCCM = 'loadbalancer.openstack.org/';
const OURS = 'levelset.openstack.org/';
export const CHAOS_TAGS = ['chaos-blue', 'chaos-red'];
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const LEAVING = 'ToBeDeletedByClusterAutoscaler';

export const transportOf = ({ protocol = 'TCP' }: { readonly protocol?: string }): string =>
  protocol.toLowerCase();
export const placeOf = (port: ServicePort): string => `${transportOf(port)}/${port.port}`;

export function wantsLoadBalancer({ spec, metadata }: Service): boolean {
  return spec.type === 'LoadBalancer' && metadata.deletionTimestamp === undefined;
}

/** Nodes that may be members, whatever they say of their health. */
export function eligibleNodes(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter(
    ({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.labels?.[EXCLUDED] === undefined &&
      !(spec?.taints ?? []).some(({ key }) => key === LEAVING),
  );
}

/** The IPv4 addresses of the members. A Service that selects no Node keeps those that it had, which nobody can tell. */
export function memberAddressesOf(service: Service, nodes: readonly Node[]): readonly string[] {
  const [label, value] = (service.metadata.annotations?.[`${OCCM}node-selector`] ?? '').split('=');
  const chosen = eligibleNodes(nodes).filter(({ metadata }) => !label || metadata.labels?.[label] === value);
  if (chosen.length === 0) throw new Error(`service ${service.metadata.name} selects no Node`);
  return chosen.flatMap(
    ({ status }) => (status?.addresses ?? []).find(({ type }) => type === 'InternalIP')?.address ?? [],
  );
}

export const isInternal = ({ metadata }: Service): boolean =>
  metadata.annotations?.['service.beta.kubernetes.io/openstack-internal-load-balancer'] === 'true';

/** For a Service that wants none: no finalizer and no address, and nothing of it in OpenStack. */
export const WITHOUT: Picture = new Map([['status', { finalizer: false, ingress: [] }]]);

export function expectedOf(
  service: Service,
  nodes: readonly Node[],
  placed: Placed,
  setting: Setting,
): Picture {
  const { metadata, spec } = service;
  const annotations = metadata.annotations ?? {};
  const members = memberAddressesOf(service, nodes);
  const local = spec.externalTrafficPolicy === 'Local' ? spec.healthCheckNodePort : undefined;
  const ports = spec.ports ?? [];
  const rows = new Map<string, Attributes>();
  rows.set('status', {
    finalizer: true,
    ingress: ingressOf(service, placed),
    ready: 'True',
  });
  rows.set('load balancer', loadBalancerOf(service, placed, setting));
  if (!isInternal(service) && (placed.isMade || placed.floatingIP !== undefined))
    rows.set('floating IP', {
      floating_network_id: setting.publicNetwork,
      [`tag levelset-cluster=${setting.clusterId}`]: true,
    });
  for (const port of ports) {
    const at = placeOf(port);
    const protocol = protocolOf(port, annotations);
    rows.set(`listener ${at}`, listenerOf(service, port, protocol, setting));
    rows.set(`pool ${at}`, {
      protocol: poolProtocolOf(protocol, annotations),
      lb_algorithm: annotations[`${OCCM}lb-method`] ?? 'ROUND_ROBIN',
      session_persistence: spec.sessionAffinity === 'ClientIP' ? 'SOURCE_IP' : null,
      ...WELL,
    });
    for (const address of members)
      rows.set(`member ${at} ${address}:${port.nodePort ?? 0}`, {
        weight: 1,
        backup: false,
        monitor_port: local ?? null,
        ...WELL,
      });
    if (local !== undefined || annotations[`${OCCM}enable-health-monitor`] !== 'false')
      rows.set(`monitor ${at}`, monitorOf(port, annotations, local !== undefined));
  }
  rows.set('security group', { ports: members.toSorted() });
  for (const port of ports) rows.set(`rule ${ruleOf(transportOf(port), port.nodePort ?? 0, setting)}`, {});
  if (local !== undefined) rows.set(`rule ${ruleOf('tcp', local, setting)}`, {});
  return rows;
}

const WELL = { admin_state_up: true, provisioning_status: 'ACTIVE' };

const ruleOf = (protocol: string, port: number, { privateCidr }: Setting): string =>
  `ingress ${protocol} ${port} ${privateCidr}`;

function ingressOf(service: Service, { floatingIP, vip, isMade }: Placed): readonly object[] {
  const annotations = service.metadata.annotations ?? {};
  const hostname = annotations[`${OCCM}hostname`];
  if (hostname !== undefined) return [{ hostname }];
  const hasTcp = (service.spec.ports ?? []).some((port) => transportOf(port) === 'tcp');
  const proxied = hasTcp && annotations[`${OCCM}proxy-protocol`] !== undefined;
  const ip = isInternal(service) ? vip : (floatingIP ?? (isMade ? undefined : vip));
  return [{ ip, ipMode: proxied ? 'Proxy' : 'VIP' }];
}

function loadBalancerOf(
  { metadata }: Service,
  { isGuest, isShared, isMade }: Placed,
  setting: Setting,
): Attributes {
  const { namespace, name, uid } = metadata;
  const asked = (metadata.annotations?.[`${OURS}tags`] ?? '').split(',');
  return {
    [`tag levelset-name=${namespace}/${name}`]: true,
    provisioning_status: 'ACTIVE',
    ...(isMade ? { admin_state_up: true } : {}),
    vip_subnet_id: setting.privateSubnet,
    ...(isGuest ? {} : { [`tag levelset-cluster=${setting.clusterId}`]: true }),
    ...(isGuest || isShared
      ? {}
      : {
          name: `kube_service_${setting.clusterName}_${namespace}_${name}`,
          [`tag levelset-service=${uid}`]: true,
          ...Object.fromEntries(CHAOS_TAGS.map((tag) => [`tag ${tag}`, asked.includes(tag)])),
        }),
  };
}

type Annotations = Readonly<Record<string, string>>;

/** UDP stays what it is, whatever annotations say. */
function protocolOf(port: ServicePort, annotations: Annotations): string {
  if (transportOf(port) !== 'tcp') return port.protocol ?? 'TCP';
  const isHttp =
    annotations[`${OURS}protocol`] === 'http' || annotations[`${OCCM}x-forwarded-for`] === 'true';
  return isHttp ? 'HTTP' : 'TCP';
}

function poolProtocolOf(listener: string, annotations: Annotations): string {
  const proxy = annotations[`${OCCM}proxy-protocol`];
  if (listener === 'UDP' || proxy === undefined) return listener;
  return proxy === 'v2' ? 'PROXYV2' : 'PROXY';
}

function listenerOf(
  { metadata, spec }: Service,
  port: ServicePort,
  protocol: string,
  { clusterId }: Setting,
): Attributes {
  const annotations = metadata.annotations ?? {};
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const number = (name: string, otherwise: number): number =>
    Number(annotations[`${OCCM}${name}`] ?? otherwise);
  const forwards = protocol === 'HTTP' && annotations[`${OCCM}x-forwarded-for`] === 'true';
  return {
    protocol,
    protocol_port: port.port,
    ...WELL,
    connection_limit: number('connection-limit', -1),
    allowed_cidrs: ranges.length === 0 ? null : ranges.toSorted(),
    // Octavia's defaults, where nobody asks
    timeout_client_data: number('timeout-client-data', 50_000),
    timeout_member_connect: number('timeout-member-connect', 5_000),
    timeout_member_data: number('timeout-member-data', 50_000),
    insert_headers: forwards ? { 'X-Forwarded-For': 'true' } : {},
    hasPool: true,
    [`tag levelset-cluster=${clusterId}`]: true,
    [`tag levelset-service=${metadata.uid}`]: true,
  };
}

/** The lab's cloud.conf says 1 for all four figures; Octavia takes no less than 3 s between checks of UDP. */
function monitorOf(port: ServicePort, annotations: Annotations, isLocal: boolean): Attributes {
  const number = (name: string): number => Number(annotations[`${OCCM}health-monitor-${name}`] ?? 1);
  const isUdp = transportOf(port) === 'udp';
  const asked = annotations[`${OURS}monitor-type`];
  const fits = asked !== undefined && !(isUdp && asked === 'TLS-HELLO');
  const byConnection = isUdp ? 'UDP-CONNECT' : 'TCP';
  const type = isLocal ? 'HTTP' : fits ? asked : byConnection;
  const path = isLocal ? '/healthz' : (annotations[`${OURS}monitor-url-path`] ?? '/');
  return {
    type,
    delay: type === 'UDP-CONNECT' ? Math.max(3, number('delay')) : number('delay'),
    timeout: number('timeout'),
    max_retries: number('max-retries'),
    max_retries_down: number('max-retries-down'),
    ...(type === 'HTTP' ? { http_method: 'GET', url_path: path, expected_codes: '200' } : {}),
    ...WELL,
  };
}
