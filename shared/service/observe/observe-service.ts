import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { observeChildren } from './children.ts';
import { confirmExpectedState } from './remembered/expected-state.ts';
import { asksForAnother } from './load-balancer/joining.ts';
import { observeNetwork } from './network/network.ts';
import { isLocked } from './observed.ts';
import type { Observed, Question, Source } from './observed.ts';
import { isGivenUp, ownersOf } from './load-balancer/owners.ts';
import type { Owners } from './load-balancer/owners.ts';
import { observeHeadroom } from './quota.ts';
import { cachedChildren, cacheChildren } from './remembered/child-cache.ts';
import { sharingOf } from './load-balancer/sharing.ts';
import { observeTop, withSharing } from './top.ts';

/** Everything. A load balancer on which Octavia still works is not looked into: it could not be changed anyway. */
export async function observeUnit(question: Question, source: Source): Promise<Observed> {
  const expected = await observeExpected(question, source);
  if (expected) return expected;
  const top = await observeTop(question, source);
  if (!top.loadBalancer) {
    return question.network ? { ...top, headroom: await observeHeadroom(source) } : top;
  }
  if (isLocked(top.loadBalancer)) return top;
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
  source: Source,
): Promise<Observed | undefined> {
  const { cloud } = source;
  const expected = network && (await confirmExpectedState(unit, network.external, source));
  const loadBalancer = expected?.resources.find(({ kind }) => kind === 'loadbalancer')?.wire;
  if (!expected || !loadBalancer || (join && asksForAnother(join, loadBalancer))) return undefined;
  const [facts, octavia] = await Promise.all([
    observeNetwork(network, loadBalancer, nodes, source),
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
  { cloud, clock, memory }: Source,
): Promise<readonly ObservedResource[]> {
  if (!network) return observeChildren(lb, owners, cloud, 'owners');
  const cached = cachedChildren(unit.key, lb, memory);
  if (cached) return cached;
  const children = await observeChildren(lb, owners, cloud, 'all');
  cacheChildren(unit.key, lb, children, { memory, clock });
  return children;
}
