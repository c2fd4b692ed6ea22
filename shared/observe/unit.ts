import type { Node } from '../model/kubernetes.ts';
import type { JoinWish, NotJoined } from '../model/joining.ts';
import type { NetworkFacts, NetworkQuestion, Subnet } from '../model/network.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import { dialectOf } from '../model/name-schemes.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Sharing } from '../model/sharing.ts';
import type { Unit } from '../model/unit.ts';
import type { Cloud, Clock } from '../ports.ts';
import { observeChildren } from './children.ts';
import { findFloatingIP } from './floating-ip.ts';
import { asksForAnother } from './joining.ts';
import { findLoadBalancers } from './load-balancer.ts';
import { isGivenUp, ownersOf } from './owners.ts';
import type { Owners } from './owners.ts';
import { observeNetwork } from './network.ts';
import { observeNodePorts } from './node-ports.ts';
import { listsOf } from './project.ts';
import type { Project } from './project.ts';
import { asExpected } from './expectation.ts';
import { findStoredCertificates } from './stored-certificates.ts';
import { recall, rememberRead } from './recollection.ts';
import { findSecurityGroups, securityGroupResources } from './security-group.ts';
import { ofWhom, sharingOf } from './sharing.ts';
import { observeHeadroom } from './quota.ts';
import type { Headroom } from './quota.ts';

/** What is there now, for one unit. */
export interface Observed {
  readonly loadBalancer?: WireResource;
  readonly duplicates: readonly WireResource[];
  /** Made to take the place of `loadBalancer`, and not yet in it. */
  readonly replacement?: WireResource;
  /** Ids of load balancers of other controllers that could all be this unit's. */
  readonly ambiguous?: readonly string[];
  /** The one that the Service asks for is not, or not to be, its load balancer. */
  readonly notJoined?: NotJoined;
  /** Of `loadBalancer`: what the Service is to it, and who else uses it. */
  readonly sharing?: Sharing;
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
  readonly octavia: { readonly major: number; readonly minor: number };
  /** This is what our own writes since then led to; no settings were read, so no watermark may rest on it. */
  readonly expectedSinceMs?: number;
  /** Only when a load balancer may have to be created. */
  readonly headroom?: Headroom;
}

export interface Question {
  readonly unit: Unit;
  readonly nodes: readonly Node[];
  readonly cluster: ClusterIdentity;
  /** Undefined when nothing is wanted. */
  readonly network: NetworkQuestion | undefined;
  readonly securityGroup: SecurityGroupQuestion;
  /** Undefined when nothing is wanted. */
  readonly join: JoinWish | undefined;
}

export interface SecurityGroupQuestion {
  /** False: there should be none, and hardly ever is. */
  readonly managed: boolean;
  /** At which addresses of this subnet the group is to be found on a port; none when nothing is wanted. */
  readonly addresses: (memberSubnet: Subnet | undefined) => readonly string[];
}

export interface Source {
  readonly cloud: Cloud;
  readonly clock: Clock;
  /** Read in bulk: load balancers and floating IPs are looked up in it. */
  readonly project?: Project;
}

const NO_FACTS: NetworkFacts = { floatingNetworks: [], missing: [] };

/** Load balancer, what is Neutron's, and network facts: what can be answered from lists of the whole project too. */
export async function observeTop(question: Question, source: Source): Promise<Observed> {
  const { unit, cluster, network } = question;
  const lists = source.project ? listsOf(source.project) : source.cloud;
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

function withSharing(observed: Observed, unit: Unit, cluster: ClusterIdentity): Observed {
  const { loadBalancer, resources } = observed;
  if (!loadBalancer) return observed;
  const sharing = sharingOf(loadBalancer, resources, unit, cluster);
  return { ...observed, sharing, resources: ofWhom(resources, loadBalancer, sharing, unit) };
}

/** Everything. A load balancer on which Octavia still works is not looked into: it could not be changed anyway. */
export async function observeUnit(question: Question, source: Source): Promise<Observed> {
  const expected = await observeExpected(question, source);
  if (expected) return expected;
  const top = await observeTop(question, source);
  if (!top.loadBalancer) {
    return question.network ? { ...top, headroom: await observeHeadroom(source.cloud, source.clock) } : top;
  }
  if (isPending(top.loadBalancer)) return top;
  const { unit, cluster } = question;
  const owners = ownersOf(unit, cluster, top.loadBalancer);
  const children = await childrenOf(top.loadBalancer, owners, question, source);
  if (!question.network && isGivenUp(top.loadBalancer, children, owners)) {
    const { loadBalancer, ...left } = top;
    return { ...left, resources: left.resources.filter(({ id }) => id !== loadBalancer.id) };
  }
  return withSharing({ ...top, resources: [...top.resources, ...children] }, unit, cluster);
}

/** What our own writes led to, confirmed by one call. What is to be deleted is always read. */
async function observeExpected(
  { unit, cluster, network, nodes, securityGroup, join }: Question,
  { cloud, clock }: Source,
): Promise<Observed | undefined> {
  const expected = network && (await asExpected(unit, network.external, cloud, clock.now()));
  const loadBalancer = expected?.resources.find(({ kind }) => kind === 'loadbalancer')?.wire;
  if (!expected || !loadBalancer || (join && asksForAnother(join, loadBalancer))) return undefined;
  const [facts, octavia] = await Promise.all([
    observeNetwork(network, loadBalancer, nodes, { cloud, clock }),
    cloud.octaviaVersion(),
  ]);
  const { resources, sinceMs } = expected;
  const ports = securityGroup.addresses(facts.memberSubnet).map((address) => `port/${address}`);
  if (!ports.every((port) => resources.some(({ address }) => address === port))) return undefined;
  const sharing = sharingOf(loadBalancer, resources, unit, cluster);
  return { loadBalancer, duplicates: [], sharing, resources, facts, octavia, expectedSinceMs: sinceMs };
}

/** What is to be deleted is always read: nothing of somebody else's may go with it. */
async function childrenOf(
  lb: WireResource,
  owners: Owners,
  { unit, network }: Question,
  { cloud, clock }: Source,
): Promise<readonly ObservedResource[]> {
  if (!network) return observeChildren(lb, owners, cloud, 'owners');
  const recalled = recall(unit.key, lb, cloud);
  if (recalled) return recalled;
  const children = await observeChildren(lb, owners, cloud, 'all');
  rememberRead(unit.key, lb, children, cloud, clock.now());
  return children;
}

/** Octavia holds its lock on it: every write would be a 409. */
export function isPending(wire: WireResource): boolean {
  return String(wire['provisioning_status']).startsWith('PENDING_');
}
