import type { Node } from '../../../model/kubernetes.ts';
import type { NetworkFacts, NetworkQuestion } from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { observeNetwork } from './network.ts';

/**
 * Network facts for a load balancer that is to take the place of the one that is there: as if there were none yet, but in
 * the same subnet where nothing else is asked for.
 */
export async function observeAsIfAnew(
  question: NetworkQuestion,
  loadBalancer: WireResource,
  nodes: readonly Node[],
  source: CloudReader,
): Promise<NetworkFacts> {
  const { vip_subnet_id: subnet, vip_network_id: network, vip_port_id: port } = question;
  const present = loadBalancer['vip_subnet_id'];
  const isAsked = [subnet, network, port].some((id) => id !== undefined);
  const place = isAsked || typeof present !== 'string' ? {} : { vip_subnet_id: present };
  return observeNetwork({ ...question, ...place }, undefined, nodes, source);
}
