import { BlockList, isIPv6 } from 'node:net';
import type { RefuseAddress } from '../../shared/http.ts';
import { ReconcileError } from '../../shared/model/errors.ts';

/** Where this machine and its cloud's metadata service answer, and no server of a cluster. IPv4 in IPv6 counts as IPv4. */
const RANGES = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['::', 127],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
] as const;

/** Keeps an entry from leading levelset to what only the machine where it runs should reach. */
export function refuseLocal(entry: string): RefuseAddress {
  const local = new BlockList();
  for (const [range, bits] of RANGES) local.addSubnet(range, bits, isIPv6(range) ? 'ipv6' : 'ipv4');
  return (host, address) => {
    if (!local.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return undefined;
    const where = host === address ? host : `${host}, which is at ${address}`;
    const text = `the entry ${entry} leads to ${where}: that is an address of the machine where levelset runs, or of its link; --allow-local-servers allows it`;
    return new ReconcileError('CONFIG_INVALID', text);
  };
}
