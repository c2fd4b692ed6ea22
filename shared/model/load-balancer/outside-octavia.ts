import { isOfNode } from '../node/node.ts';
import type { ResourceKind } from '../resources.ts';

/** What is not Octavia's, beside the load balancer: its lock does not hold them, its status tree does not show them. */
export function isOutsideOctavia(kind: ResourceKind): boolean {
  const isOfNetwork = kind === 'floatingip' || kind === 'router' || isOfSecurityGroup(kind);
  return isOfNetwork || kind === 'secret' || isOfNode(kind);
}

export function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}
