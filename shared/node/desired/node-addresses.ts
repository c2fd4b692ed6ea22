import type { NodeAddress } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';
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
  /** There will be addresses, and it is not known which: a Node is not to be used before. */
  readonly incomplete?: true;
}

/**
 * status.addresses of a Node: what its server has, its own Hostname where the cloud has none, what its kubelet was told to
 * prefer (openstack-ccm.md, 6.5; kubernetes.md, 2.4), and never less than one InternalIP if it had one (decision 102). Where
 * networks are named, what Nova does not list counts only for a Node that has nothing to lose, or would have nothing: Nova's
 * cache may miss a network, and a port does not say the name of its own.
 */
export function nodeAddresses(input: NodeAddressInput): DesiredAddresses {
  const { publicNetworkNames, internalNetworkNames } = input.options;
  const isNamed = [...publicNetworkNames, ...internalNetworkNames].length > 0;
  const found = addressesFor(input, !isNamed || input.existing.every(isHostname));
  const { addresses } = found;
  return addresses.length > 0 && addresses.every(isHostname) ? addressesFor(input, true) : found;
}

function addressesFor(input: NodeAddressInput, countsUnlisted: boolean): DesiredAddresses {
  const { existing, providedNodeIPs, options } = input;
  if (isDoubtful(input)) {
    const why = 'Nova lists no address of its server, though Neutron has ports with addresses';
    return { ...nothing(why), incomplete: true };
  }
  const sorted = sortAddresses(serverAddresses(input, countsUnlisted), options.addressSortOrder);
  if (sorted.length === 0 && providedNodeIPs === undefined)
    return nothing('its server has no address that [Networking] lets through');
  const hostnames = sorted.some(isHostname) ? [] : existing.filter(isHostname);
  const named = [...sorted, ...hostnames];
  if (providedNodeIPs === undefined) return withInternalIP(named, existing);
  const { addresses, problems } = preferNodeIPs(named, providedNodeIPs);
  return problems.length > 0
    ? { addresses, problems, incomplete: true }
    : withInternalIP(addresses, existing);
}

/**
 * Nova answers from a cache, which is empty now and then; with it gone, nobody could tell networks apart. A Node that has no
 * address yet has none to lose.
 */
function isDoubtful({ server, ports, existing }: ServerReading): boolean {
  const isListed = Object.values(server.addresses ?? {}).some((addresses) => (addresses ?? []).length > 0);
  const hasSome = existing.some((one) => !isHostname(one));
  return hasSome && !isListed && ports.some(({ fixed_ips }) => (fixed_ips ?? []).length > 0);
}

/** What is an ExternalIP now is not lost. */
function withInternalIP(
  addresses: readonly NodeAddress[],
  existing: readonly NodeAddress[],
): DesiredAddresses {
  if (addresses.some(isInternal)) return { addresses, problems: [] };
  const kept = existing.filter(
    (one) =>
      isInternal(one) &&
      !addresses.some(({ type, address }) => type === 'ExternalIP' && address === one.address),
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
