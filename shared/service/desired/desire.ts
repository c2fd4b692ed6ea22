import type { Node } from '../../model/kubernetes.ts';
import { isLocked } from '../../model/load-balancer/octavia.ts';
import { withoutPodsAt } from '../../model/load-balancer/service-endpoints.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { NetworkFacts } from '../../model/network/network-facts.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { ReadOtherwise } from '../../model/load-balancer/other-controllers.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { withoutAddresses } from '../../model/node/judged-nodes.ts';
import type { JudgedNodes } from '../../model/node/judged-nodes.ts';
import type { ObservedResource } from '../../model/resources.ts';
import type { Depth, Unit } from '../../model/unit.ts';
import type { Reading } from '../intent/as-dialect.ts';
import { addressesKeptOut, portsKeptOut, showsMembers, waitingProblem } from './nodes/address-problems.ts';
import { desireUnit } from './desire-service.ts';
import type { Desired, DesireInput } from './desire-service.ts';
import { ambiguityProblems, joiningProblems } from './joining-problems.ts';
import { drainMsOf, withDraining } from './nodes/draining.ts';
import { servedSecrets } from './served-secrets.ts';
import { desireOfShared, leavesFloatingIP } from './shared-whole.ts';

interface Given {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly depth: Depth;
  readonly reading: Reading;
  readonly observed: ObservedService;
}

export interface DesiredService {
  /** What is desired for the Service by itself, whoever shares the load balancer. The watermark covers this. */
  readonly own: Desired;
  /**
   * The same as far as sharing allows it on the present load balancer. The plan compares this with what is observed.
   */
  readonly here: DesiredHere;
}

interface DesiredHere extends Desired {
  /** Hashes of the changes that the Service approves, sorted. */
  readonly approved: readonly string[];
  readonly byGo?: ReadOtherwise;
  /** cloud.conf makes the Service internal, and the Service itself does not. */
  readonly internalByConfig?: boolean;
  /** What is desired of a load balancer that takes this one's place; absent unless some change is approved. */
  readonly another?: Desired;
}

/**
 * What should be there for one Service. For one that leaves its load balancer, at most its kept floating IP. Nodes and
 * Pods at addresses that are kept out are desired for the watermark, and not for the plan.
 */
export function desire(asked: Given): DesiredService {
  const { nodes, judged, observed, depth, reading } = asked;
  const { endpoints, resources } = observed;
  const keptOut = addressesKeptOut(judged, resources, reading.config);
  const given = { ...asked, observed: { ...observed, facts: withoutFacts(observed.facts, keptOut) } };
  const all = desireWith(given, nodes, endpoints);
  if (keptOut.size === 0) return all;
  if (!showsMembers(observed.loadBalancer, depth)) {
    const ports = portsKeptOut(keptOut, resources);
    return {
      ...all,
      here: { ...all.here, resources: all.here.resources.filter(({ address }) => !ports.has(address)) },
    };
  }
  const left = endpoints && withoutPodsAt(endpoints, keptOut);
  const { own, here } = desireWith(given, withoutAddresses(nodes, keptOut), left);
  const joining = membersAt(all.here).filter((address) => keptOut.has(address));
  const problems = [...all.here.problems, ...waitingProblem(judged, joining)];
  return { own: { ...all.own, keepMembers: own.keepMembers }, here: { ...here, problems } };
}

/** The facts without what they say of addresses that are no members'. */
function withoutFacts(facts: NetworkFacts, keptOut: ReadonlySet<string>): NetworkFacts {
  const left = (addresses: readonly string[] = []): readonly string[] =>
    addresses.filter((address) => !keptOut.has(address));
  const { withoutPort, unfiltered, onStrangeServer } = facts;
  return {
    ...facts,
    withoutPort: left(withoutPort),
    unfiltered: left(unfiltered),
    onStrangeServer: left(onStrangeServer),
  };
}

/** The Nodes that are members already. */
function ofMembers(nodes: readonly Node[], resources: readonly ObservedResource[]): readonly Node[] {
  const there = new Set(resources.map(({ kind, wire }) => (kind === 'member' ? wire['address'] : undefined)));
  return nodes.filter(({ status }) => status?.addresses?.some(({ address }) => there.has(address)));
}

function membersAt({ resources }: Desired): readonly string[] {
  return resources.flatMap(({ kind, attributes }) =>
    kind === 'member' && 'address' in attributes ? [attributes.address] : [],
  );
}

function desireWith(
  { unit, cluster, judged, reading, observed }: Given,
  all: readonly Node[],
  endpoints: Endpoints | undefined,
): DesiredService {
  const { intent, config, asNew, approved, byGo } = reading;
  const { loadBalancer, sharing, resources, localNodes, ifReplaced, horizon } = observed;
  const nodes = intent && !intent.nodeSelector ? ofMembers(all, resources) : all;
  const floatingIP = resources.find(({ kind }) => kind === 'floatingip')?.wire;
  const input: DesireInput = {
    intent,
    wanted: unit.wanted,
    joins: leavesFloatingIP({ sharing, floatingIP }),
    nodes,
    judged,
    facts: observed.facts,
    octavia: observed.octavia,
    offers: observed.offers,
    secrets: servedSecrets(observed.secrets, resources, horizon.now),
    horizon,
    certificates: observed.certificates,
    ...(localNodes ? { localNodes } : {}),
    ...(endpoints ? { endpoints } : {}),
    cluster,
  };
  const alone = desireUnit(input, config);
  const told = { ...alone, problems: [...(observed.unread ?? []), ...alone.problems] };
  const own = withDraining(told, {
    observed: resources,
    nodes,
    drainedForMs: observed.drainedForMs,
    drainMs: drainMsOf(config),
    busy: loadBalancer !== undefined && isLocked(loadBalancer),
  });
  const shared = desireOfShared(own.resources, { intent, cluster, loadBalancer, sharing, floatingIP });
  const problems = [
    ...own.problems,
    ...ambiguityProblems(observed.ambiguous),
    ...joiningProblems(observed.notJoined, intent),
    ...shared.problems,
  ];
  const another = ifReplaced && { another: desireUnit({ ...input, ...ifReplaced }, asNew) };
  const asGo = byGo?.intent && desireUnit({ ...input, intent: byGo.intent }, config).resources;
  const gate = byGo && { byGo: { targets: byGo.targets, ...(asGo ? { desired: asGo } : {}) } };
  const internalByConfig = unit.wanted && intent?.internalByConfig === true;
  const here = { ...own, resources: shared.resources, problems, approved, internalByConfig };
  return { own, here: { ...here, ...gate, ...another } };
}
