import type { DesiredResource } from '../../model/resources.ts';

/**
 * Without the rules of a security group that lead to no pool: of a port that another Service has on the same load balancer,
 * or that the cloud cannot serve. With none left nothing is meant to be open (decision 81).
 */
export function withoutIdleRules(desired: readonly DesiredResource[]): readonly DesiredResource[] {
  const pools = new Set(desired.filter(({ kind }) => kind === 'pool').map(({ address }) => address));
  const isIdle = ({ kind, places = [] }: DesiredResource): boolean =>
    kind === 'securitygrouprule' && !places.some((place) => pools.has(`pool/${place}`));
  if (!desired.some(isIdle)) return desired;
  const left = desired.filter((resource) => !isIdle(resource));
  if (left.some(({ kind }) => kind === 'securitygrouprule')) return left;
  return left.map((one) => (one.kind === 'securitygroup' ? { ...one, mayBeEmpty: true as const } : one));
}
