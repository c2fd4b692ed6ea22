import { isIP } from 'node:net';
import { cidrContains, compareAddresses } from '../../model/network/cidr.ts';
import type { NodeAddress } from '../../model/kubernetes.ts';

/**
 * address-sort-order of [Networking] (openstack-ccm.md, 6.5, step 7): addresses in the first of these CIDRs come first, in
 * ascending order; what is in none keeps its place after them.
 */
export function sortAddresses(
  addresses: readonly NodeAddress[],
  cidrs: readonly string[],
): readonly NodeAddress[] {
  const place = ({ address }: NodeAddress): number => {
    const index = isIP(address) === 0 ? -1 : cidrs.findIndex((cidr) => cidrContains(cidr, address));
    return index === -1 ? cidrs.length : index;
  };
  return [...addresses].sort((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left === right && left < cidrs.length ? compareAddresses(a.address, b.address) : left - right;
  });
}
