import type { JudgedNodes } from '../../../model/node/judged-nodes.ts';
import type { WireResource, ObservedResource } from '../../../model/resources.ts';
import { listPorts, onceAMinute, lookUpIfPossible, type ListSource } from '../../../observe/reads.ts';
import type { Cloud } from '../../../ports.ts';
import {
  clusterTag,
  goSecurityGroupText,
  hasTag,
  nameTag,
  securityGroupName,
  tagValue,
  type ClusterIdentity,
} from '../../../model/ownership.ts';
import { rulesOf } from '../../../model/network/openings.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import type { Subnet } from '../../../model/network/network-facts.ts';
import { fixedIps } from './subnets.ts';
import type { Address } from '../../../model/address.ts';
import { FIELDS } from '../node-ports.ts';

/**
 * The Service's groups, oldest first, by our tags, else by OCCM's exact name and description. If groups are not managed, one list a minute for the whole
 * process says whether to look. If it fails, the Service goes on without it: the next sweep finds a group that is left.
 */
export async function findSecurityGroups(
  object: ServiceObject,
  cluster: ClusterIdentity,
  managed: boolean,
  source: ListSource,
): Promise<readonly WireResource[]> {
  if (managed) return groupsOf(object, cluster, source);
  const left = async (): Promise<readonly WireResource[]> =>
    (await isThereAny(object, cluster, source)) ? groupsOf(object, cluster, source) : [];
  return (await lookUpIfPossible(source, 'security groups', left)) ?? [];
}

async function groupsOf(
  object: ServiceObject,
  cluster: ClusterIdentity,
  source: ListSource,
): Promise<readonly WireResource[]> {
  const { lists } = source;
  const tags = `${clusterTag(cluster)},${nameTag(object.name)}`;
  const tagged = await lists.list('securitygroup', { tags });
  if (tagged.length > 0) return [...tagged].sort(oldestFirst);
  const name = goName(object);
  const named = name === undefined ? [] : await lists.list('securitygroup', { name });
  return named.filter((group) => isUnclaimed(group, object, cluster)).sort(oldestFirst);
}

/** The group in use, its rules, and duplicates from a POST whose answer was lost. */
export function securityGroupResources(groups: readonly WireResource[]): readonly ObservedResource[] {
  const [group, ...duplicates] = groups;
  return [
    ...(group ? [groupOf('securitygroup', group), ...securityGroupRules(group)] : []),
    ...duplicates.map((duplicate) => groupOf(`securitygroup/duplicate/${duplicate.id}`, duplicate)),
  ];
}

function securityGroupRules(group: WireResource): readonly ObservedResource<'securitygrouprule'>[] {
  return [...rulesOf(group)].map(([address, wire]) => ({
    kind: 'securitygrouprule',
    address,
    id: wire.id,
    parent: 'securitygroup',
    whose: 'ours',
    wire,
  }));
}

function groupOf(address: string, wire: WireResource): ObservedResource<'securitygroup'> {
  return { kind: 'securitygroup', address, id: wire.id, whose: 'ours', wire };
}

async function isThereAny(
  object: ServiceObject,
  cluster: ClusterIdentity,
  source: ListSource,
): Promise<boolean> {
  const { cloud, lists } = source;
  if (lists !== cloud) return true;
  const all = await onceAMinute(source, 'security groups', () =>
    cloud.list('securitygroup', { fields: ['id', 'name', 'description', 'tags'] }),
  );
  return all.some(
    (group) =>
      (hasTag(group['tags'], clusterTag(cluster)) && hasTag(group['tags'], nameTag(object.name))) ||
      (group['name'] === goName(object) && isUnclaimed(group, object, cluster)),
  );
}

function goName(object: ServiceObject): string | undefined {
  return object.service && securityGroupName(object.service.metadata.uid, object.name);
}

function isUnclaimed(group: WireResource, object: ServiceObject, cluster: ClusterIdentity): boolean {
  const claimed = tagValue(group['tags'], 'cluster');
  const described = String(group['description']).startsWith(goSecurityGroupText(object.name));
  return described && (claimed === undefined || claimed === cluster.id);
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (group: WireResource): string => `${String(group['created_at'])} ${group.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}

interface GroupPorts {
  readonly resources: readonly ObservedResource<'port'>[];
  /** IP addresses without a port: of the Node's server, or for other members in the member subnet. */
  readonly withoutPort: readonly string[];
  /** IP addresses whose port has no port security. Such a port takes no security group and needs none. */
  readonly unfiltered: readonly string[];
  /** IP addresses at which the project sees only ports of servers that no Node names. */
  readonly onStrangeServer: readonly string[];
}

interface Members {
  readonly addresses: readonly string[];
  readonly subnet: Subnet | undefined;
  readonly ports: JudgedNodes['ports'];
  readonly servers: JudgedNodes['servers'];
}

/**
 * A Node that names its server has only that server's ports, in this subnet before others; of other members only a port in this subnet counts. The
 * group goes onto no port of a server that no Node names, unless no Node names any; where it is, it stays. Without a change one call is enough.
 */
export async function observeGroupPorts(
  groups: readonly WireResource[],
  members: Members,
  cloud: Pick<Cloud, 'list'>,
): Promise<GroupPorts> {
  const { addresses, subnet, ports: ofServers, servers } = members;
  const holders = await holdersOf(groups, cloud);
  const isNear = (port: WireResource): boolean =>
    fixedIps(port).some((fixed) => fixed.subnet_id === subnet?.id);
  const isAt = (port: WireResource, address: string): boolean =>
    ofServers.get(address)?.includes(port.id) ??
    fixedIps(port).some((fixed) => fixed.ip_address === address && fixed.subnet_id === subnet?.id);
  const missing = addresses.filter((address) => !holders.some((port) => isAt(port, address)));
  const ids = [...new Set(missing.flatMap((address) => ofServers.get(address) ?? []))];
  const elsewhere = missing.filter((address) => !ofServers.has(address));
  const wanted = elsewhere.map((address) => `ip_address=${address}`);
  const others = [
    ...(await listPorts('id', ids, FIELDS, cloud)),
    ...(await listPorts('fixed_ips', wanted, FIELDS, cloud)),
  ];
  const strange = new Set(others.filter((port) => isOfStrangeServer(port, servers)));
  const found = addresses.map((address) => {
    const at = [...holders, ...others].filter((port) => isAt(port, address));
    const port = at
      .filter((one) => !strange.has(one))
      .sort((a, b) => Number(isNear(b)) - Number(isNear(a)))[0];
    return { address, port, isStrange: !port && at.length > 0 };
  });
  const used = new Set(found.flatMap(({ port }) => port?.id ?? []));
  const left = holders.filter(({ id }) => !used.has(id));
  const ports = new Map<Address, WireResource>();
  for (const { address, port } of found) if (port && isFiltered(port)) ports.set(`port/${address}`, port);
  for (const port of left) {
    const address = `port/${fixedIps(port)[0]?.ip_address ?? port.id}`;
    ports.set(ports.has(address) ? `port/${port.id}` : address, port);
  }
  return {
    resources: [...ports].map(([address, wire]) => ({
      kind: 'port',
      address,
      id: wire.id,
      whose: 'ours',
      wire,
    })),
    withoutPort: found.flatMap(({ address, port, isStrange }) => (port || isStrange ? [] : [address])),
    onStrangeServer: found.flatMap(({ address, isStrange }) => (isStrange ? [address] : [])),
    unfiltered: found.flatMap(({ address, port }) => (port && !isFiltered(port) ? [address] : [])),
  };
}

/** The ports that have one of the groups. Neutron before Train does not know this filter and lists all ports. */
async function holdersOf(
  groups: readonly WireResource[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  if (groups.length === 0) return [];
  const ids = groups.map(({ id }) => id);
  const listed = await cloud.list('port', { security_groups: ids, fields: FIELDS });
  return listed.filter((port) =>
    ids.some((id) => (port['security_groups'] as readonly string[]).includes(id)),
  );
}

/** Ports that Kuryr makes for Pods look like a server's. */
const OF_POD = 'compute:kuryr';

function isOfStrangeServer(port: WireResource, servers: ReadonlySet<string>): boolean {
  const { device_owner: told } = port;
  const owner = typeof told === 'string' ? told : '';
  const isServer = (owner.startsWith('compute:') || owner.startsWith('baremetal:')) && owner !== OF_POD;
  return isServer && servers.size > 0 && !servers.has(String(port['device_id']));
}

function isFiltered(port: WireResource): boolean {
  return port['port_security_enabled'] !== false;
}
