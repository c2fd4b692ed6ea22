import { isIP } from 'node:net';
import { canonicalAddress } from '../../model/network/cidr.ts';
import type { NodeAddress } from '../../model/kubernetes.ts';
import { PROVIDED_NODE_IP } from '../../model/node/node.ts';
import type { Problem } from '../../model/plan.ts';

interface Preferred {
  readonly addresses: readonly NodeAddress[];
  readonly problems: readonly Problem[];
}

/**
 * What a kubelet was told with --node-ip, applied to what the cloud knows (kubernetes.md, 2.4): these come first and are the only
 * ones of their type. Nothing is desired while the cloud does not know one of them.
 */
export function preferNodeIPs(addresses: readonly NodeAddress[], provided: string): Preferred {
  const refuse = (message: string): Preferred => ({
    addresses: [],
    problems: [{ field: PROVIDED_NODE_IP, value: provided, message: `${message}; no address is changed` }],
  });
  const nodeIPs = provided.split(',');
  const families = nodeIPs.map((nodeIP) => isIP(nodeIP));
  if (families.includes(0) || new Set(families).size < families.length)
    return refuse('must be one IP address, or one of each family with a comma between');
  const matches = nodeIPs.map((nodeIP) => addresses.filter(({ address }) => isSame(address, nodeIP)));
  const unknown = nodeIPs.filter((_, index) => matches[index]?.length === 0);
  if (unknown.length > 0)
    return refuse(`is no address of the server that [Networking] lets through: ${unknown.join(', ')}`);
  const first = matches.flat();
  const types = first.map(({ type }) => type);
  return { addresses: [...first, ...addresses.filter(({ type }) => !types.includes(type))], problems: [] };
}

/** However they are spelled. */
function isSame(address: string, nodeIP: string): boolean {
  return isIP(address) === isIP(nodeIP) && canonicalAddress(address) === canonicalAddress(nodeIP);
}
