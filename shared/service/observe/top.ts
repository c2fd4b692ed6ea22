import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import type { NetworkFacts } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource } from '../../model/resources.ts';
import type { Unit } from '../../model/unit.ts';
import { findFloatingIP } from './network/floating-ip.ts';
import { findLoadBalancers } from './load-balancer/load-balancer.ts';
import { observeNetwork } from './network/network.ts';
import { observeNodePorts } from './network/node-ports.ts';
import type { Observed, Question, Source } from './observed.ts';
import { listsOf } from './project.ts';
import { findSecurityGroups, securityGroupResources } from './security-group.ts';
import { ofWhom, sharingOf } from './load-balancer/sharing.ts';
import { findStoredCertificates } from './stored-certificates.ts';

const NO_FACTS: NetworkFacts = { floatingNetworks: [], missing: [] };

/** Load balancer, what is Neutron's, and network facts: what can be answered from lists of the whole project too. */
export async function observeTop(question: Question, source: Source): Promise<Observed> {
  const { unit, cluster, network } = question;
  const lists = source.project ? listsOf(source.project, source.cloud) : source.cloud;
  const octavia = await source.cloud.octaviaVersion();
  const found = await findLoadBalancers(unit, question.join, cluster, lists);
  const { primary, duplicates, replacement, ambiguous, notJoined } = found;
  const external = network?.external === true && (!primary || dialectOf(primary) !== 'kinx');
  const joined = primary && sharingOf(primary, [], unit, cluster).role === 'joiner';
  const { managed, addresses } = question.securityGroup;
  const [floating, facts, groups, stored] = await Promise.all([
    findFloatingIP(unit, found, { ...network, external: external && !joined }, cluster, lists),
    network ? observeNetwork(network, primary, question.nodes, source) : NO_FACTS,
    findSecurityGroups(unit, cluster, managed, { ...source, lists }),
    findStoredCertificates(unit, cluster, { ...source, lists }),
  ]);
  const subnet = facts.memberSubnet;
  const ports = await observeNodePorts(groups, { addresses: addresses(subnet), subnet }, lists);
  const { withoutPort, unfiltered } = ports;
  const { resource, loadBalancerIPTaken } = floating;
  const lb: readonly ObservedResource[] = primary
    ? [{ kind: 'loadbalancer', address: 'lb', id: primary.id, owned: true, wire: primary }]
    : [];
  const top: Observed = {
    ...(primary ? { loadBalancer: primary } : {}),
    duplicates,
    ...(replacement ? { replacement } : {}),
    ...(ambiguous ? { ambiguous } : {}),
    ...(notJoined ? { notJoined } : {}),
    resources: [
      ...lb,
      ...(resource ? [resource] : []),
      ...securityGroupResources(groups),
      ...ports.resources,
      ...stored,
    ],
    facts: {
      ...facts,
      withoutPort,
      unfiltered,
      ...(loadBalancerIPTaken === undefined ? {} : { loadBalancerIPTaken }),
    },
    octavia,
  };
  return withSharing(top, unit, cluster);
}

/** What of it is this Service's, where several share it. */
export function withSharing(observed: Observed, unit: Unit, cluster: ClusterIdentity): Observed {
  const { loadBalancer, resources } = observed;
  if (!loadBalancer) return observed;
  const sharing = sharingOf(loadBalancer, resources, unit, cluster);
  return { ...observed, sharing, resources: ofWhom(resources, loadBalancer, sharing, unit) };
}
