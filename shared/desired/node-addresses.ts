import type { NodeAddress } from '../model/kubernetes.ts';
import type { Problem } from '../model/plan.ts';
import { preferNodeIPs } from './provided-node-ips.ts';
import { serverAddresses, type ServerReading } from './server-addresses.ts';
import { sortAddresses } from './sort-addresses.ts';

export interface NodeAddressInput extends ServerReading {
  /** The annotation alpha.kubernetes.io/provided-node-ip. */
  readonly providedNodeIPs?: string;
}

export interface DesiredAddresses {
  /** None: the Node keeps what it has, and a Problem says why. */
  readonly addresses: readonly NodeAddress[];
  readonly problems: readonly Problem[];
}

/**
 * status.addresses of a Node: what its server has, its own Hostname where the cloud has none, what its kubelet was told to
 * prefer (openstack-ccm.md, 6.5; kubernetes.md, 2.4), and never less than one InternalIP if it had one (decision 102).
 */
export function nodeAddresses(input: NodeAddressInput): DesiredAddresses {
  const { existing, providedNodeIPs, options } = input;
  const ofServer = serverAddresses(input);
  if (ofServer.length === 0) return nothing('its server has no address that [Networking] lets through');
  if (isDoubtful(input))
    return nothing('Nova lists no address of its server, though Neutron has ports with addresses');
  const sorted = sortAddresses(ofServer, options.addressSortOrder);
  const hostnames = sorted.some(isHostname) ? [] : existing.filter(isHostname);
  const named = [...sorted, ...hostnames];
  const preferred =
    providedNodeIPs === undefined
      ? { addresses: named, problems: [] }
      : preferNodeIPs(named, providedNodeIPs);
  return preferred.problems.length > 0 ? preferred : withInternalIP(preferred.addresses, existing);
}

/** Nova answers from a cache, which is empty now and then; with it gone, nobody could tell networks apart. */
function isDoubtful({ server, ports }: ServerReading): boolean {
  const isListed = Object.values(server.addresses ?? {}).some((addresses) => (addresses ?? []).length > 0);
  return !isListed && ports.some(({ fixed_ips }) => (fixed_ips ?? []).length > 0);
}

/** What is an ExternalIP now is not lost. */
function withInternalIP(
  addresses: readonly NodeAddress[],
  existing: readonly NodeAddress[],
): DesiredAddresses {
  if (addresses.some(isInternal)) return { addresses, problems: [] };
  const kept = existing.filter(
    (one) => isInternal(one) && !addresses.some(({ address }) => address === one.address),
  );
  if (kept.length === 0) return { addresses, problems: [] };
  const message =
    'is kept: the server has no InternalIP that [Networking] lets through, and a Node needs one';
  return {
    addresses: [...kept, ...addresses],
    problems: [problem(kept.map(({ address }) => address).join(','), message)],
  };
}

function nothing(why: string): DesiredAddresses {
  return { addresses: [], problems: [problem('', `${why}; the Node keeps the addresses that it has`)] };
}

function problem(value: string, message: string): Problem {
  return { field: 'status.addresses', value, message, momentary: true };
}

function isInternal({ type }: NodeAddress): boolean {
  return type === 'InternalIP';
}

function isHostname({ type }: NodeAddress): boolean {
  return type === 'Hostname';
}
