import type { BesideMembers, WrittenPlan } from '../../memory/load-balancers.ts';
import { atLeast, isLocked } from '../../model/load-balancer/octavia.ts';
import type { NetworkFacts, NetworkQuestion } from '../../model/network/network-facts.ts';
import { serviceTag } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { isGivenUp, ownersOf, whoseFloatingIP, whoseLoadBalancer } from '../../model/load-balancer/whose.ts';
import type { ObservedResource, Whose, WireResource } from '../../model/resources.ts';
import { horizonAt, observeCertificates, findStoredCertificates, observeTlsSecrets } from './certificates.ts';
import { observeChildren, observeMembers, type ChildReader } from './children.ts';
import { agreedBy, sharingOf } from './load-balancer/sharing.ts';
import { observeAsIfAnew, observeNetwork } from './network/network.ts';
import { findFloatingIP, type FoundFloatingIP } from './network/floating-ip.ts';
import { observeGroupPorts, findSecurityGroups, securityGroupResources } from './network/security-group.ts';
import {
  type FoundLoadBalancers,
  type ObservedEndpoints,
  type ObservedService,
  goesToPods,
  isShared,
  type Sharing,
} from '../../model/load-balancer/observed-service.ts';
import type { Question, Source } from './questions.ts';
import { observeOffers, listsFor } from './project.ts';
import type { ServiceObject } from '../../model/service-object.ts';
import type { World, Kube } from '../../ports.ts';
import { localNodes, readEndpoints } from './endpoint-slices.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { HasAddress } from '../../model/node/judged-nodes.ts';
import { limitOf, withinPorts } from '../../model/load-balancer/reach-and-limits.ts';

interface Asked extends Omit<Question, 'network'>, ObservedEndpoints {
  readonly network: NetworkQuestion | undefined;
}

/** What Octavia's lock does not affect: floating IP, security group, ports, certificates, and facts about networks. */
interface OutsideOctavia {
  readonly floating: FoundFloatingIP;
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
}

const NO_ENDPOINTS: ObservedEndpoints = {};
const NO_FACTS: NetworkFacts = { floatingNetworks: [], missing: [] };

export async function observeService(
  question: Question,
  found: FoundLoadBalancers,
  reader: Source & Pick<World, 'config'>,
): Promise<ObservedService> {
  const { object, cluster } = question;
  const { service, wanted } = object;
  const unread: Problem[] = [];
  const source = found.loadBalancer && wanted ? { ...reader, unread } : reader;
  const [told, behind, secrets, certificates] = await Promise.all([
    source.cloud.octaviaVersion(),
    service && wanted ? observeEndpoints(service, source, question.isOfNode) : NO_ENDPOINTS,
    observeTlsSecrets(question.secrets, object.name.namespace, source),
    observeCertificates(question.certificates, { name: object.name, cluster }, source),
  ]);
  const asked: Asked = { ...question, ...behind, network: question.network?.(behind.endpoints) };
  const lb = found.loadBalancer;
  const balancer = lb && resourceOf(lb);
  const sharers = balancer && (await observeSharing(asked, balancer, source));
  const now = source.clock.now();
  const beside = lb && wanted ? source.memory.loadBalancers.besideMembers(object, lb.id, now) : undefined;
  const outside = await observeOutsideOctavia(asked, found, sharers, question.written ?? beside, source);
  const children = lb ? await observeOnLoadBalancer(asked, lb, beside, source) : [];
  const onIt = children === 'given up' ? [] : children;
  const sharing = balancer && sharers && withListeners(sharers, sharingOf(balancer, onIt, object, cluster));
  const resources = [
    ...(balancer ? [balancer] : []),
    ...floatingIPsOf(outside.floating, (wire) => whoseFloatingIP(wire, object, cluster, lb, sharing)),
    ...outside.resources,
    ...onIt,
  ];
  const octavia = atLeast(told, resources);
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
    writtenInError: source.memory.loadBalancers.writtenInError(lb?.id ?? '', source.clock.now()),
    ...(question.written || beside ? { asWrittenSince: beside?.readAt ?? now } : {}),
  };
  if (children !== 'given up') return observed;
  const { loadBalancer, ...left } = observed;
  return { ...left, resources: resources.filter(({ id }) => id !== loadBalancer?.id) };
}

/** Who shares the load balancer by its tags, and, while the Service wants it, what they agree about. */
async function observeSharing(
  { object, cluster, asksFor }: Asked,
  lb: ObservedResource,
  source: Source,
): Promise<Sharing> {
  const sharing = sharingOf(lb, [], object, cluster);
  const isAsked = object.wanted && isShared(sharing) && lb.whose !== 'foreign';
  const agreed =
    object.service && isAsked && (await agreedBy(sharing, object.service, { ...source, asksFor }));
  return agreed ? { ...sharing, ...agreed } : sharing;
}

/** Whom a listener alone names was not asked, so nothing is agreed until the load balancer has the tags again. */
function withListeners({ agreed, byConfig, ...told }: Sharing, all: Sharing): Sharing {
  const isWhole = all.others.every((one) => told.others.includes(one));
  return { ...told, ...all, ...(agreed && isWhole ? { agreed, ...(byConfig ? { byConfig } : {}) } : {}) };
}

function resourceOf(wire: WireResource): ObservedResource<'loadbalancer'> {
  return { kind: 'loadbalancer', address: 'lb', id: wire.id, whose: whoseLoadBalancer(wire), wire };
}

function floatingIPsOf(
  { wire: used, leftover = [] }: FoundFloatingIP,
  whoseIs: (wire: WireResource) => Whose,
): readonly ObservedResource<'floatingip'>[] {
  const at = (address: string, wire: WireResource): ObservedResource<'floatingip'> => ({
    ...{ kind: 'floatingip', address, id: wire.id, whose: whoseIs(wire), wire },
  });
  return [
    ...(used ? [at('floatingip', used)] : []),
    ...leftover.map((wire) => at(`floatingip/${wire.id}`, wire)),
  ];
}

async function observeOutsideOctavia(
  { object, cluster, locate, network, securityGroup, endpoints, namesSecrets }: Asked,
  found: FoundLoadBalancers,
  sharing: Sharing | undefined,
  written: WrittenPlan | BesideMembers | undefined,
  source: Source,
): Promise<OutsideOctavia> {
  const lists = listsFor(source);
  const lb = found.loadBalancer;
  const staysAsItIs = isShared(sharing) && !(sharing?.agreed === 'external' && sharing.maker !== 'another');
  const wish = { ...network, external: network?.external === true && !staysAsItIs, staysAsItIs };
  const isKnown = written && (written.floatingIP !== undefined) === wish.external;
  const known: FoundFloatingIP | undefined = isKnown ? { wire: written.floatingIP } : undefined;
  const [floating, facts, groups, stored] = await Promise.all([
    known ?? findFloatingIP(object, found, wish, cluster, { ...source, lists }),
    network ? observeNetwork(network, lb, locate, source) : NO_FACTS,
    findSecurityGroups(object, cluster, securityGroup.managed, { ...source, lists }),
    findStoredCertificates(object, cluster, { namesSecrets, isMade: lb !== undefined }, { ...source, lists }),
  ]);
  const subnet = facts.memberSubnet;
  const addresses = securityGroup.addresses(subnet, endpoints);
  const members = { addresses, subnet, ports: securityGroup.ports, servers: securityGroup.servers };
  const { withoutPort, unfiltered, onStrangeServer, ...ports } = await observeGroupPorts(
    groups,
    members,
    lists,
  );
  const { loadBalancerIPTaken: taken } = floating;
  return {
    floating,
    resources: [...securityGroupResources(groups), ...ports.resources, ...stored],
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
 * Nothing is read in a shallow look, or while Octavia locks, since nothing could be changed. For a Service that leaves, whose each listener and pool
 * is has to be certain, so that nothing of others is deleted. With nothing of its own on what others use, it has given that up.
 */
async function observeOnLoadBalancer(
  { object, cluster, network, depth }: Asked,
  lb: WireResource,
  beside: BesideMembers | undefined,
  { cloud, clock, memory, children: inBulk, readAt = clock.now() }: Source,
): Promise<readonly ObservedResource[] | 'given up'> {
  if (depth === 'shallow' || isLocked(lb)) return [];
  const owners = ownersOf(object, cluster, lb);
  if (!network) {
    const known = owners.shared ? undefined : memory.loadBalancers.childrenOf(object, lb);
    const told = known && (await isStill(object, lb, cloud)) ? known.filter(isListenerOrPool) : undefined;
    const there = told ?? (await observeChildren(lb, owners, cloud, 'owners'));
    return isGivenUp(lb, there, owners) ? 'given up' : there;
  }
  if (beside) {
    const pools = beside.children.filter(({ kind, address }) => kind === 'pool' && beside.pools.has(address));
    const members = await Promise.all(pools.map((pool) => observeMembers(pool, cloud)));
    return [...beside.children, ...members.flat()];
  }
  const known = inBulk ? undefined : memory.loadBalancers.childrenOf(object, lb);
  if (known) return known;
  const children = await observeChildren(lb, owners, inBulk ?? cloud, 'all');
  memory.loadBalancers.noteChildren(object, lb, children, readAt);
  return children;
}

/** Whether nothing on a leaving Service's load balancer changed while the run waited for Neutron. One list serves all that leave together. */
async function isStill(
  { service, withLeftovers }: ServiceObject,
  { id, updated_at: before }: WireResource,
  cloud: ChildReader,
): Promise<boolean> {
  if (!service || withLeftovers) return false;
  const now = await cloud.list('loadbalancer', { 'tags-any': serviceTag(service.metadata.uid) });
  return now.some((lb) => lb.id === id && lb['updated_at'] === before);
}

function isListenerOrPool({ kind }: ObservedResource): boolean {
  return kind === 'listener' || kind === 'pool';
}

/** Facts for a replacement, read only if the Service approves some change, which may need one. */
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

interface EndpointSource extends Pick<World, 'config'> {
  readonly kube: Pick<Kube, 'listEndpointSlices' | 'listPods'>;
}

/** `isOfNode` tells the addresses of Pods in their Node's network. Nothing is listed without externalTrafficPolicy Local or direct traffic. */
async function observeEndpoints(
  asked: Service,
  { kube, config }: EndpointSource,
  isOfNode: HasAddress,
): Promise<ObservedEndpoints> {
  const service = withinPorts(asked, config);
  const { spec, metadata } = service;
  const isLocal = spec.externalTrafficPolicy === 'Local';
  const isDirect = (spec.ports ?? []).some((port) => goesToPods(service, port));
  if (!isLocal && !isDirect) return {};
  const slices = await kube.listEndpointSlices(metadata.namespace, metadata.name);
  const nodes = isLocal ? { localNodes: localNodes(slices, service) } : {};
  if (!isDirect) return nodes;
  const pods = await kube.listPods(metadata.namespace, spec.selector ?? {});
  return { ...nodes, endpoints: readEndpoints(slices, service, pods, isOfNode, limitOf('members', config)) };
}
