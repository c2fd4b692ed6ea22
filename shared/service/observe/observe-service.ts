import { atLeast } from '../../model/load-balancer/capabilities.ts';
import { isLocked } from '../../model/load-balancer/octavia.ts';
import type { NetworkFacts, NetworkQuestion } from '../../model/network/network-facts.ts';
import type { Problem } from '../../model/plan.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { horizonAt, observeCertificates, findStoredCertificates, observeTlsSecrets } from './certificates.ts';
import { drainedForMs, observeChildren } from './children.ts';
import { observeEndpoints } from './endpoints.ts';
import type { FoundLoadBalancer } from './load-balancer/find-load-balancer.ts';
import { isGivenUp, ownersOf } from './load-balancer/owners.ts';
import { ofWhom, sharingOf } from './load-balancer/sharing.ts';
import { observeAsIfAnew, observeNetwork } from './network/network.ts';
import { findFloatingIP } from './network/floating-ip.ts';
import { observeNodePorts, findSecurityGroups, securityGroupResources } from './network/security-group.ts';
import type { ObservedEndpoints, ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { Question, Source } from './questions.ts';
import { observeOffers } from './offers.ts';
import { listsFor } from './project.ts';
import type { World } from '../../ports.ts';
import { cachedChildren, cacheChildren } from './remembered/child-cache.ts';
import { confirmOwnChildren, rememberOwnPools } from './remembered/own-children.ts';
import { writtenLately } from './remembered/children-in-error.ts';

/** The question, with the endpoints of the Service. */
interface Asked extends Omit<Question, 'network'>, ObservedEndpoints {
  readonly network: NetworkQuestion | undefined;
}

/** What Octavia's lock does not affect: floating IP, security group, ports, certificates, and facts about networks. */
interface OutsideOctavia {
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
}

const NO_ENDPOINTS: ObservedEndpoints = {};
const NO_FACTS: NetworkFacts = { floatingNetworks: [], missing: [] };

/** Everything that the question asks for, in Kubernetes, Octavia, Neutron and Barbican. Writes nothing. */
export async function observeService(
  question: Question,
  { expected, ...found }: FoundLoadBalancer,
  reader: Source & Pick<World, 'config'>,
): Promise<ObservedService> {
  const { unit, cluster } = question;
  const { service, wanted } = unit;
  const unread: Problem[] = [];
  const source = found.loadBalancer && wanted ? { ...reader, unread } : reader;
  const [told, behind, secrets, certificates] = await Promise.all([
    source.cloud.octaviaVersion(),
    service && wanted ? observeEndpoints(service, source, question.isOfNode) : NO_ENDPOINTS,
    observeTlsSecrets(question.secrets, unit.name.namespace, source),
    observeCertificates(question.certificates, { name: unit.name, cluster }, source),
  ]);
  const asked: Asked = { ...question, ...behind, network: question.network?.(behind.endpoints) };
  const lb = found.loadBalancer;
  const outside =
    (expected && (await asExpected(asked, lb, expected.outsideOctavia, source))) ??
    (await observeOutsideOctavia(asked, found, source));
  const children = expected?.children ?? (lb ? await observeOnLoadBalancer(asked, lb, source) : []);
  const onIt = children === 'given up' ? [] : children;
  if (lb && question.network && onIt.length > 0) rememberOwnPools(lb, onIt, source.memory);
  const all = [...(lb ? [resourceOf(lb)] : []), ...outside.resources, ...onIt];
  const sharing = lb && sharingOf(lb, all, unit, cluster);
  const octavia = atLeast(told, all);
  const resources = lb && sharing ? ofWhom(all, lb, sharing, unit, cluster) : all;
  const observed = {
    ...found,
    ...behind,
    ...(sharing ? { sharing } : {}),
    resources,
    facts: outside.facts,
    octavia,
    offers: { ...(await observeOffers(question.offers(octavia), source)), isMade: lb !== undefined },
    certificates,
    secrets,
    ...(await observeIfReplaced(asked, lb, octavia, source)),
    unread,
    horizon: horizonAt(source.clock),
    drainedForMs: drainedForMs(resources, expected?.sinceMs, source.clock.now()),
    writtenInError: writtenLately(source),
    ...(expected ? { expectedSinceMs: expected.sinceMs } : {}),
  };
  if (children !== 'given up') return observed;
  const { loadBalancer, ...left } = observed;
  return { ...left, resources: resources.filter(({ id }) => id !== loadBalancer?.id) };
}

function resourceOf(wire: WireResource): ObservedResource<'loadbalancer'> {
  return { kind: 'loadbalancer', address: 'lb', id: wire.id, owned: true, wire };
}

async function observeOutsideOctavia(
  { unit, cluster, locate, network, securityGroup, endpoints, namesSecrets }: Asked,
  found: FoundLoadBalancer,
  source: Source,
): Promise<OutsideOctavia> {
  const lists = listsFor(source);
  const lb = found.loadBalancer;
  const isJoiner = lb !== undefined && sharingOf(lb, [], unit, cluster).role === 'joiner';
  const external = network?.external === true && !isJoiner;
  const [floating, facts, groups, stored] = await Promise.all([
    findFloatingIP(unit, found, { ...network, external, isJoiner }, cluster, { ...source, lists }),
    network ? observeNetwork(network, lb, locate, source) : NO_FACTS,
    findSecurityGroups(unit, cluster, securityGroup.managed, { ...source, lists }),
    findStoredCertificates(unit, cluster, namesSecrets, { ...source, lists }),
  ]);
  const subnet = facts.memberSubnet;
  const addresses = securityGroup.addresses(subnet, endpoints);
  const members = { addresses, subnet, ports: securityGroup.ports, servers: securityGroup.servers };
  const { withoutPort, unfiltered, onStrangeServer, ...ports } = await observeNodePorts(
    groups,
    members,
    lists,
  );
  const { resource, leftover = [], loadBalancerIPTaken: taken } = floating;
  return {
    resources: [
      ...(resource ? [resource] : []),
      ...leftover,
      ...securityGroupResources(groups),
      ...ports.resources,
      ...stored,
    ],
    facts: {
      ...facts,
      withoutPort,
      unfiltered,
      onStrangeServer,
      ...(taken === undefined ? {} : { loadBalancerIPTaken: taken }),
    },
  };
}

/**
 * What our own writes left outside Octavia. Undefined if the Service asks for something else: a floating IP that is not
 * there, none although there is one, or the port of a new node.
 */
async function asExpected(
  { locate, network, securityGroup, endpoints }: Asked,
  loadBalancer: WireResource | undefined,
  resources: readonly ObservedResource[],
  source: Source,
): Promise<OutsideOctavia | undefined> {
  const hasFloatingIP = resources.some(({ kind }) => kind === 'floatingip');
  if (network?.external !== hasFloatingIP) return undefined;
  const facts = await observeNetwork(network, loadBalancer, locate, source);
  const ports = securityGroup.addresses(facts.memberSubnet, endpoints).map((address) => `port/${address}`);
  const there = new Set(resources.map(({ address }) => address));
  return ports.every((port) => there.has(port)) ? { resources, facts } : undefined;
}

/**
 * Listeners, pools and what belongs to them. Nothing is read in a shallow look, or while Octavia locks the load
 * balancer, since it could not be changed anyway. For a Service that wants no load balancer, whose each of them is has to be
 * certain, so that nobody else's resources are deleted. If nothing on the load balancer is this Service's, and somebody else uses
 * it, the Service has given it up.
 */
async function observeOnLoadBalancer(
  { unit, cluster, network, depth }: Asked,
  lb: WireResource,
  { cloud, clock, memory, children: inBulk, readAt = clock.now() }: Source,
): Promise<readonly ObservedResource[] | 'given up'> {
  if (depth === 'shallow' || isLocked(lb)) return [];
  const owners = ownersOf(unit, cluster, lb);
  if (!network) {
    const confirmed = await confirmOwnChildren(unit, lb, owners, cloud, memory);
    if (confirmed) return confirmed;
    const owned = await observeChildren(lb, owners, cloud, 'owners');
    return isGivenUp(lb, owned, owners) ? 'given up' : owned;
  }
  const cached = inBulk ? undefined : cachedChildren(unit.key, lb, memory);
  if (cached) return cached;
  const children = await observeChildren(lb, owners, inBulk ?? cloud, 'all');
  cacheChildren(unit.key, lb, children, readAt, memory);
  return children;
}

/**
 * Facts for a replacement. They are read only if the Service approves some change, which may need another load
 * balancer.
 */
async function observeIfReplaced(
  { network, locate, offersIfReplaced }: Asked,
  lb: WireResource | undefined,
  octavia: ObservedService['octavia'],
  source: Source,
): Promise<Pick<ObservedService, 'ifReplaced'>> {
  if (!network || !lb || !offersIfReplaced) return {};
  const [facts, offers] = await Promise.all([
    observeAsIfAnew(network, lb, locate, source),
    observeOffers(offersIfReplaced(octavia), source),
  ]);
  return { ifReplaced: { facts, offers: { ...offers, isMade: false } } };
}
