/** Everything in the project of OpenStack, read directly, and what of it stands for one Service. */
import type { Service } from '../../../shared/model/kubernetes.ts';
import * as openstack from '../lab/openstack.ts';
import type { Resource } from '../lab/openstack.ts';
import { CHAOS_TAGS, transportOf, type Placed } from './expected.ts';
import type { Attributes, Picture } from './picture.ts';

export interface Project {
  readonly loadBalancers: readonly Resource[];
  readonly listeners: readonly Resource[];
  readonly pools: readonly (Resource & { readonly members: readonly Resource[] })[];
  readonly monitors: readonly Resource[];
  readonly floatingIPs: readonly Resource[];
  readonly securityGroups: readonly Resource[];
  readonly ports: readonly Resource[];
}

export async function readProject(): Promise<Project> {
  const pools = await openstack.allPools();
  const [loadBalancers, listeners, monitors, floatingIPs, securityGroups, ports] = await Promise.all([
    openstack.loadBalancers(),
    openstack.allListeners(),
    openstack.healthMonitors(),
    openstack.floatingIPs(),
    openstack.securityGroups(),
    openstack.ports(),
  ]);
  return {
    loadBalancers,
    listeners,
    pools: await Promise.all(
      pools.map(async (pool) => ({ ...pool, members: await openstack.members(pool.id) })),
    ),
    monitors,
    floatingIPs,
    securityGroups,
    ports,
  };
}

export interface Found {
  readonly picture: Picture;
  readonly placed: Placed;
  /** Ids of everything that the picture is of. */
  readonly ids: readonly string[];
}

export const tagsOf = (resource: Resource): readonly string[] => (resource['tags'] ?? []) as string[];

export function loadBalancersNaming(project: Project, { metadata }: Service): readonly Resource[] {
  const tag = `levelset-name=${metadata.namespace}/${metadata.name}`;
  return project.loadBalancers.filter((one) => tagsOf(one).includes(tag));
}

/** `guests`: ids of load balancers that belong to somebody else. */
export function foundOf(service: Service, project: Project, guests: ReadonlySet<string>): Found {
  const rows = new Map<string, Attributes>([['status', statusOf(service)]]);
  const own = `levelset-service=${service.metadata.uid}`;
  const all = loadBalancersNaming(project, service);
  const ids = all.map(({ id }) => id);
  const [lb, ...more] = all;
  more.forEach(({ id }) => rows.set(`load balancer ${id}`, {}));
  const isGuest = lb !== undefined && guests.has(lb.id);
  const isShared = lb !== undefined && tagsOf(lb).some((tag) => tag.startsWith('levelset-shared='));
  const onVip = project.floatingIPs.filter((ip) => lb && ip['port_id'] === lb['vip_port_id']);
  if (lb) rows.set('load balancer', plain(lb));
  onVip.forEach((ip, at) => rows.set(at === 0 ? 'floating IP' : `floating IP ${ip.id}`, plain(ip)));
  ids.push(...onVip.map(({ id }) => id));
  const listeners = project.listeners.filter(
    (one) => all.some((on) => isOn(one, on)) && tagsOf(one).includes(own),
  );
  for (const listener of listeners) {
    const at = `${familyOf(listener)}/${String(listener['protocol_port'])}`;
    rows.set(
      rows.has(`listener ${at}`) ? `listener ${at} ${listener.id}` : `listener ${at}`,
      listenerRow(listener),
    );
    ids.push(listener.id);
    const pool = project.pools.find(({ id }) => id === listener['default_pool_id']);
    if (!pool) continue;
    const persistence = (pool['session_persistence'] ?? {}) as { readonly type?: string };
    rows.set(`pool ${at}`, { ...plain(pool), session_persistence: persistence.type ?? null });
    ids.push(pool.id);
    for (const member of pool.members)
      rows.set(`member ${at} ${String(member['address'])}:${String(member['protocol_port'])}`, plain(member));
    const monitor = project.monitors.find(({ id }) => id === pool['healthmonitor_id']);
    if (monitor) rows.set(`monitor ${at}`, plain(monitor));
    if (monitor) ids.push(monitor.id);
  }
  for (const group of project.securityGroups.filter((one) => tagsOf(one).includes(own))) {
    const on = project.ports.filter((port) => (port['security_groups'] as string[]).includes(group.id));
    rows.set('security group', { ports: on.flatMap(addressesOf).toSorted() });
    for (const rule of group['security_group_rules'] as Resource[]) rows.set(`rule ${ruleOf(rule)}`, {});
    ids.push(group.id);
  }
  const floatingIP = onVip[0]?.['floating_ip_address'] as string | undefined;
  const isMade = String(lb?.['name']).startsWith('kube_service_');
  const placed = { floatingIP, vip: String(lb?.['vip_address']), isGuest, isShared, isMade };
  return { picture: rows, placed, ids };
}

function statusOf({ metadata, status, spec }: Service): Attributes {
  const ready = status?.conditions?.find(({ type }) => type === 'levelset.openstack.org/Ready');
  return {
    finalizer: (metadata.finalizers ?? []).includes('service.kubernetes.io/load-balancer-cleanup'),
    ingress: status?.loadBalancer?.ingress ?? [],
    ...(spec.type === 'LoadBalancer' ? { ready: ready?.status } : {}),
  };
}

/** Its attributes, and each of its tags by itself. */
function plain(resource: Resource): Attributes {
  const tags = tagsOf(resource);
  return {
    ...resource,
    ...Object.fromEntries(CHAOS_TAGS.map((tag) => [`tag ${tag}`, false])),
    ...Object.fromEntries(tags.map((tag) => [`tag ${tag}`, true])),
  };
}

function listenerRow(listener: Resource): Attributes {
  const ranges = (listener['allowed_cidrs'] ?? []) as string[];
  return {
    ...plain(listener),
    allowed_cidrs: ranges.length === 0 ? null : ranges.toSorted(),
    insert_headers: listener['insert_headers'] ?? {},
    hasPool: typeof listener['default_pool_id'] === 'string',
  };
}

function isOn(child: Resource, { id }: Resource): boolean {
  return ((child['loadbalancers'] ?? []) as readonly Resource[]).some((one) => one.id === id);
}

const familyOf = (listener: Resource): string => (listener['protocol'] === 'UDP' ? 'udp' : transportOf({}));

const addressesOf = (port: Resource): readonly string[] =>
  (port['fixed_ips'] as { readonly ip_address: string }[])
    .map(({ ip_address: address }) => address)
    .filter((address) => !address.includes(':'));

function ruleOf(rule: Resource): string {
  const { direction, protocol, port_range_min: first, port_range_max: last, remote_ip_prefix: from } = rule;
  const range = first === last ? String(first) : `${String(first)}-${String(last)}`;
  return `${String(direction)} ${String(protocol)} ${range} ${String(from)}`;
}
