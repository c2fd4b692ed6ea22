/** What is not as wished when all is quiet. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Node, Service } from '../../../shared/model/kubernetes.ts';
import { namesOf } from './person.ts';
import type { Schedule, ServiceName } from './schedule.ts';
import { nodePortOf, type Watch } from './watch.ts';

export function left(schedule: Schedule, { cloud, kube }: SandboxInside, watch: Watch): readonly string[] {
  const names = namesOf(schedule);
  const wishes = names.flatMap((name) => watch.wishOf(name) ?? []);
  const ours = cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-')).map(({ id }) => id);
  const used = [
    ...cloud.ports.flatMap((port) => port.security_groups),
    ...cloud.securityGroupRules
      .filter((rule) => rule['direction'] === 'ingress')
      .map((rule) => rule.security_group_id),
  ].filter((id) => ours.includes(id));
  const nodes = kube.list('Node').map(({ status }) => addressIn(status));
  const most = schedule.besides === 'shared' ? 1 : Infinity;
  const groups = schedule.manageSecurityGroups ? wishes.length : 0;
  const ports = wishes.flatMap((wish) => wish.ports);
  const wanted = {
    loadbalancers: Math.min(most, wishes.length),
    listeners: wishes
      .flatMap((wish) => wish.ports.map((port) => ({ port, ranges: rangesOf(wish.ranges) })))
      .sort((a, b) => a.port - b.port),
    pools: ports.length,
    members: ports.flatMap((port) => nodes.map((address) => `${port} ${address}:${nodePortOf(port)}`)).sort(),
    vips: Math.min(most, wishes.length),
    floatingips: Math.min(most, wishes.filter(({ internal }) => !internal).length),
    ...{ groups, usedGroups: groups },
    services: names.map((name) => serviceWanted(name, { kube, watch })),
  };
  const found = {
    loadbalancers: cloud.loadbalancers.length,
    listeners: cloud.listeners
      .map((one) => ({ port: one.protocol_port, ranges: one['allowed_cidrs'] }))
      .sort((a, b) => a.port - b.port),
    pools: cloud.pools.length,
    members: cloud.listeners
      .flatMap(({ protocol_port: port, default_pool_id: pool }) =>
        cloud.members
          .filter(({ pool_id }) => pool_id === pool)
          .map((member) => `${port} ${member.address}:${member.protocol_port}`),
      )
      .sort(),
    vips: cloud.ports.filter(({ device_owner: owner }) => owner === 'Octavia').length,
    floatingips: cloud.floatingips.length,
    groups: cloud.securityGroups.filter(({ tags }) => tags.length > 0).length,
    // one whose process was killed before it was tagged, for a Service that was gone then, stays empty and unused
    usedGroups: new Set(used).size,
    services: names.map((name) => serviceFound(name, { cloud, kube, watch })),
  };
  const keys = Object.keys(wanted) as (keyof typeof wanted)[];
  return keys
    .filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]))
    .map(
      (key) => `in the end ${key} is ${JSON.stringify(found[key])}, and not ${JSON.stringify(wanted[key])}`,
    );
}

const addressIn = (status: unknown): string =>
  (status as Node['status'])?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';

const rangesOf = (ranges: readonly string[]): readonly string[] | null =>
  ranges.length === 0 ? null : ranges.toSorted();

const find = (name: ServiceName, kube: SandboxInside['kube']): Service | undefined =>
  kube.get('Service', 'default', name) as Service | undefined;

type Seen = Pick<SandboxInside, 'kube'> & { readonly watch: Watch };

function serviceWanted(name: ServiceName, { kube, watch }: Seen): unknown {
  const isWanted = watch.wishOf(name) !== undefined;
  const service = find(name, kube);
  const isThere = service !== undefined && (isWanted || service.spec.type === 'ClusterIP');
  return { name, isThere, ready: isWanted ? 'True' : undefined, isPublished: isWanted };
}

function serviceFound(
  name: ServiceName,
  { cloud, kube, watch }: Seen & Pick<SandboxInside, 'cloud'>,
): unknown {
  const wish = watch.wishOf(name);
  const service = find(name, kube);
  const listener = cloud.listeners.find(({ protocol_port: port }) => wish?.ports.includes(port));
  const lb = cloud.loadbalancers.byId(listener?.loadbalancer_id);
  const addresses =
    wish?.internal === true
      ? [lb?.vip_address]
      : cloud.floatingips
          .filter((ip) => ip.port_id !== null && ip.port_id === lb?.vip_port_id)
          .map((ip) => ip.floating_ip_address);
  return {
    name,
    isThere: service !== undefined,
    ready: wish && service?.status?.conditions?.find(({ type }) => type.endsWith('/Ready'))?.status,
    isPublished:
      wish !== undefined &&
      addresses.length === 1 &&
      service?.status?.loadBalancer?.ingress?.[0]?.ip === addresses[0],
  };
}
