import {
  clusterTag,
  goSecurityGroupText,
  hasTag,
  nameTag,
  securityGroupName,
  tagValue,
} from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { rulesOf } from '../../model/network/openings.ts';
import type { Unit } from '../../model/unit.ts';
import type { Cloud, CloudReader } from '../../ports.ts';
import { onceAMinute } from '../../observe/once-a-minute.ts';

export interface GroupSource extends CloudReader {
  /** Answers lists: the cloud, or what was read of it in bulk. */
  readonly lists: Pick<Cloud, 'list'>;
}

/**
 * The security groups of a unit, oldest first: by our tags, else by the Go provider's exact name and description. Each
 * comes with its rules. Where groups are not managed, one list a minute for the whole process says whether to look.
 */
export async function findSecurityGroups(
  unit: Unit,
  cluster: ClusterIdentity,
  managed: boolean,
  source: GroupSource,
): Promise<readonly WireResource[]> {
  if (!managed && !(await isThereAny(unit, cluster, source))) return [];
  const { lists } = source;
  const tags = `${clusterTag(cluster)},${nameTag(unit.name)}`;
  const tagged = await lists.list('securitygroup', { tags });
  if (tagged.length > 0) return [...tagged].sort(oldestFirst);
  const name = goName(unit);
  const named = name === undefined ? [] : await lists.list('securitygroup', { name });
  return named.filter((group) => isUnclaimed(group, unit, cluster)).sort(oldestFirst);
}

/** The group in use, its rules, and groups that were made beside it because the answer to a POST was lost. */
export function securityGroupResources(groups: readonly WireResource[]): readonly ObservedResource[] {
  const [group, ...duplicates] = groups;
  return [
    ...(group ? [groupOf('securitygroup', group), ...securityGroupRules(group)] : []),
    ...duplicates.map((duplicate) => groupOf(`securitygroup/duplicate/${duplicate.id}`, duplicate)),
  ];
}

export function securityGroupRules(group: WireResource): readonly ObservedResource<'securitygrouprule'>[] {
  return [...rulesOf(group)].map(([address, wire]) => ({
    kind: 'securitygrouprule',
    address,
    id: wire.id,
    parent: 'securitygroup',
    owned: true,
    wire,
  }));
}

function groupOf(address: string, wire: WireResource): ObservedResource<'securitygroup'> {
  return { kind: 'securitygroup', address, id: wire.id, owned: true, wire };
}

async function isThereAny(unit: Unit, cluster: ClusterIdentity, source: GroupSource): Promise<boolean> {
  const { cloud, lists } = source;
  if (lists !== cloud) return true;
  const all = await onceAMinute(source, 'security groups', () =>
    cloud.list('securitygroup', { fields: ['id', 'name', 'description', 'tags'] }),
  );
  return all.some(
    (group) =>
      (hasTag(group['tags'], clusterTag(cluster)) && hasTag(group['tags'], nameTag(unit.name))) ||
      (group['name'] === goName(unit) && isUnclaimed(group, unit, cluster)),
  );
}

function goName(unit: Unit): string | undefined {
  return unit.service && securityGroupName(unit.service.metadata.uid, unit.name);
}

function isUnclaimed(group: WireResource, unit: Unit, cluster: ClusterIdentity): boolean {
  const claimed = tagValue(group['tags'], 'cluster');
  const described = String(group['description']).startsWith(goSecurityGroupText(unit.name));
  return described && (claimed === undefined || claimed === cluster.id);
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (group: WireResource): string => `${String(group['created_at'])} ${group.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
