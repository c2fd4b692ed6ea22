import type { FloatingSubnet, NetworkFacts, NetworkQuestion } from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { onceAMinute } from '../../../observe/once-a-minute.ts';

/**
 * Where floating IPs can come from: the network that is named, else that of the subnet that is named, else all external
 * ones; and of a single one the subnets, when one of them has to be chosen.
 */
export async function observeFloatingNetworks(
  question: NetworkQuestion,
  source: CloudReader,
): Promise<Pick<NetworkFacts, 'floatingNetworks' | 'floatingSubnets'>> {
  if (!question.external) return { floatingNetworks: [] };
  const id = question.floating_subnet_id;
  const named = id === undefined ? undefined : await readSubnet(id, source);
  const [network, ...others] =
    question.floating_network_id === undefined
      ? named
        ? [named.network_id]
        : await externalNetworks(source)
      : [question.floating_network_id];
  const floatingNetworks = network === undefined ? [] : [network, ...others];
  if (id !== undefined) return { floatingNetworks, floatingSubnets: named ? [named] : [] };
  if (!question.choose_floating_subnet || network === undefined || others.length > 0)
    return { floatingNetworks };
  return { floatingNetworks, floatingSubnets: await subnetsOf(network, source) };
}

async function externalNetworks(source: CloudReader): Promise<readonly string[]> {
  const found = await onceAMinute(source, 'external networks', () =>
    source.cloud.list('network', { 'router:external': 'true' }),
  );
  return found.map(({ id }) => id);
}

/** Undefined when the project cannot see it, as it need not see the subnets of an external network. */
async function readSubnet(id: string, source: CloudReader): Promise<FloatingSubnet | undefined> {
  const wire = await onceAMinute(source, `subnet ${id}`, () => source.cloud.get('subnet', id));
  return wire && floatingSubnet(wire);
}

/** In an order that stays: by name, then id. Floating IPs are IPv4. */
async function subnetsOf(network: string, source: CloudReader): Promise<readonly FloatingSubnet[]> {
  const found = await onceAMinute(source, `subnets of ${network}`, () =>
    source.cloud.list('subnet', { network_id: network }),
  );
  return found
    .filter((wire) => wire['ip_version'] !== 6)
    .map(floatingSubnet)
    .sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1));
}

function floatingSubnet(wire: WireResource): FloatingSubnet {
  const { name, tags } = wire;
  return {
    id: wire.id,
    name: typeof name === 'string' ? name : '',
    network_id: String(wire['network_id']),
    tags: Array.isArray(tags) ? tags.map(String) : [],
  };
}
