import type { ResourceKind } from './resources.ts';

/** Neutron's and Barbican's, beside the load balancer: Octavia's lock does not hold them, its status tree does not show them. */
export function isBeside(kind: ResourceKind): boolean {
  return kind === 'floatingip' || kind === 'secret' || isOfSecurityGroup(kind);
}

export function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}
