import type { OctaviaVersion } from '../../model/load-balancer/capabilities.ts';
import type { Config } from '../../config/config.ts';
import { NO_CERTIFICATES } from '../../model/tls/certificate-facts.ts';
import type { CertificateFacts, CertificateInUse, Horizon } from '../../model/tls/certificate-facts.ts';
import { hasOnlyPods, podAddresses } from '../../model/load-balancer/service-endpoints.ts';
import type { PortEndpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { Node } from '../../model/kubernetes.ts';
import { memberSubnetOf, servedFamilies } from '../../model/network/network-facts.ts';
import type { NetworkFacts } from '../../model/network/network-facts.ts';
import type { JudgedNodes } from '../../model/node/judged-nodes.ts';
import { attributeRule } from '../../model/attributes.ts';
import { setTags } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Offers } from '../../model/load-balancer/octavia.ts';
import type { DrainingMember, Problem } from '../../model/plan.ts';
import type { DesiredResource, Member, ResourceKind } from '../../model/resources.ts';
import { addressProblems, notTaken } from './nodes/address-problems.ts';
import { desireFloatingIP, keptFloatingIP } from './desire-floating-ip.ts';
import { withinCapabilities, spelledBy } from './within-capabilities.ts';
import { desireMembers } from './desire-members.ts';
import { desirePort } from './desire-port.ts';
import { desireLoadBalancer } from './desire-load-balancer.ts';
import { familyProblems, networkProblems } from './network-problems.ts';
import { keepsFamily, secondFamilyOf, selectNodes } from './nodes/port-nodes.ts';
import { nodeSet } from '../../model/node/node-set.ts';
import type { ReachableNode } from '../../model/node/node-set.ts';
import { desireSecurityGroup, rulesHoldSourceRanges, unguarded } from './desire-security-group.ts';
import { desireStored, watchCertificates } from './certificates.ts';
import type { ServedSecrets } from './certificates.ts';
import { uselessSettings } from './useless-settings.ts';
import { withFamilies } from '../intent/service-intent.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { fingerprint } from '../../model/json.ts';

export interface DesireInput {
  /** Undefined if the Service is gone. */
  readonly intent: ServiceIntent | undefined;
  /** False: the Service leaves its load balancer, and at most its kept floating IP is desired. */
  readonly wanted: boolean;
  /**
   * Whether the load balancer is another Service's or a user's own, so that the floating IP is not this Service's to
   * set.
   */
  readonly joins: boolean;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly facts: NetworkFacts;
  readonly cluster: ClusterIdentity;
  /** Nodes with an endpoint that takes traffic; undefined without externalTrafficPolicy Local. */
  readonly localNodes: readonly string[] | undefined;
  /** The Pods behind each port of the Service; undefined for a port whose members are nodes. */
  readonly endpoints: readonly (PortEndpoints | undefined)[] | undefined;
  readonly octavia: OctaviaVersion;
  readonly offers?: Offers;
  readonly certificates?: CertificateFacts;
  readonly secrets?: ServedSecrets;
  readonly horizon: Horizon;
}

/** The resources that should exist for one Service, and what the plan has to know about them. */
export interface Desired {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  /** No node can be a member, so pools of nodes keep the members that they have (design.md, "Deletion"). */
  readonly keepMembers: boolean;
  /** The desired rules are not known, so the security group stays as it is. */
  readonly keepSecurityGroup: boolean;
  readonly withoutAddress: readonly string[];
  /** Members of nodes that leave, until they have drained; never empty. */
  readonly draining?: readonly DrainingMember[];
  /** Certificates in use whose expiry is known. */
  readonly certificates: readonly CertificateInUse[];
}

/**
 * What is desired for one Service, by itself. For one that leaves its load balancer or is gone, that is at most its
 * kept floating IP. Pure.
 */
export function desireUnit(input: DesireInput, config: Config): Desired {
  if (!input.intent || !input.wanted) return keptOnDeletion(input.intent, input.cluster);
  const { secrets = new Map(), certificates = NO_CERTIFICATES, facts, octavia, horizon } = input;
  const served = servedFamilies(input.intent, facts, octavia);
  const intent = withFamilies(input.intent, served);
  const memberSubnet = memberSubnetOf(facts, intent.family);
  const selected = selectNodes(input.nodes, intent.nodeSelector ?? {});
  const nodes = nodeSet(selected.nodes, memberSubnet, intent.family);
  const second = secondFamilyOf(intent, selected.nodes, nodes.reachable, facts);
  const balancer = desireLoadBalancer(intent, input, config);
  const { lbProvider: provider } = config.loadBalancer;
  const floating = input.joins
    ? { resources: [], problems: [] }
    : desireFloatingIP(intent, input.facts, input.cluster);
  const reached =
    second?.nodes.length || nodes.reachable.length === 0 ? intent : { ...intent, families: [intent.family] };
  const group = desireSecurityGroup(
    reached,
    { nodes: nodes.reachable, endpoints: input.endpoints },
    input.facts,
    input.cluster,
    config.loadBalancer,
  );
  const context = {
    intent: rulesHoldSourceRanges(config.loadBalancer) ? { ...intent, allowed_cidrs: null } : intent,
    cluster: input.cluster,
    store: config.loadBalancer.containerStore,
    certificates,
    secrets,
  };
  const ports = intent.ports.map((port) => {
    const members = desireMembers(port, {
      nodes: nodes.reachable,
      memberSubnet,
      secondFamily: keepsFamily(port.transport, provider) ? second : undefined,
      localNodes: input.localNodes,
      endpoints: input.endpoints ?? [],
      named: intent.annotated.Service.memberSubnetId,
    });
    return desirePort(port, members, context);
  });
  const open = unguarded(intent, facts, config.loadBalancer);
  const isOpen = ({ kind, attributes }: DesiredResource): boolean =>
    kind === 'member' && open.includes((attributes as Partial<Member>).address ?? '');
  const watched = watchCertificates(intent, { certificates, secrets }, horizon);
  const able = withinCapabilities(
    [balancer.loadBalancer, ...ports.flatMap(({ resources }) => resources)],
    { ...octavia, provider },
    spelledBy(intent),
  );
  return {
    resources: [
      ...desireStored(intent, input.cluster, secrets),
      ...able.resources
        .map(withSetRecord)
        .map((one) => (isOpen(one) ? { ...one, ifPresent: true as const } : one)),
      ...floating.resources,
      ...group.resources,
    ],
    problems: [
      ...able.problems,
      ...intent.problems,
      ...intent.rangeProblems,
      ...selected.problems,
      ...addressProblems(input.judged, reachedAt(input, nodes.reachable, second?.nodes ?? [])),
      ...notTaken(
        selected.nodes,
        memberSubnet,
        nodes.reachable.map(({ address }) => address),
      ),
      ...ports.flatMap(({ problems }) => problems),
      ...floating.problems,
      ...group.problems,
      ...balancer.problems,
      ...networkProblems(intent, { ...input, served }, config),
      ...familyProblems(input.intent, facts, octavia, input.joins),
      ...watched.problems,
      ...uselessSettings(intent),
    ],
    keepMembers: nodes.reachable.length === 0 && able.resources.some(isPoolOfNodes),
    keepSecurityGroup: group.keep,
    withoutAddress: nodes.withoutAddress,
    certificates: watched.inUse,
  };
}

/**
 * The resource with a tag that records which attributes levelset set on somebody's request: an annotation's, or the
 * weight 0 of a draining member. shared/plan reads the tag back (decision 2).
 */
export function withSetRecord<K extends ResourceKind>(resource: DesiredResource<K>): DesiredResource<K> {
  const recorded = Object.keys(resource.attributes)
    .filter((attribute) => attributeRule(resource.kind, attribute).unset !== undefined)
    .sort();
  if (recorded.length === 0) return resource;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  return { ...resource, attributes: { ...resource.attributes, tags: [...tags, ...setTags(recorded)] } };
}

/** What is desired for a Service that leaves its load balancer, or is gone. */
function keptOnDeletion(intent: ServiceIntent | undefined, cluster: ClusterIdentity): Desired {
  return {
    resources: intent?.keepFloatingip ? [keptFloatingIP(intent, cluster)] : [],
    problems: [],
    keepMembers: false,
    keepSecurityGroup: false,
    withoutAddress: [],
    certificates: [],
  };
}

/** The addresses of members: of Nodes unless all members are Pods, and of Pods. */
function reachedAt(
  { intent, endpoints }: Pick<DesireInput, 'intent' | 'endpoints'>,
  ...nodes: readonly (readonly ReachableNode[])[]
): readonly string[] {
  const ofNodes = intent && hasOnlyPods(intent.service) ? [] : nodes.flat().map(({ address }) => address);
  return [...ofNodes, ...podAddresses(endpoints)];
}

function isPoolOfNodes({ kind, mayBeEmpty }: DesiredResource): boolean {
  return kind === 'pool' && mayBeEmpty !== true;
}

/**
 * The hash for a watermark. It covers the desired resources, the approvals, the sharing name, and the Problems that may
 * change although the Service does not.
 */
export function hashOf(
  { resources, problems }: Pick<Desired, 'resources' | 'problems'>,
  approved: readonly string[],
  sharedName?: string,
): string {
  const shown = problems.flatMap(({ passing, field, value, message }) =>
    passing ? [[field, value, message]] : [],
  );
  const parts = [
    ...(approved.length > 0 ? [approved] : []),
    ...(shown.length > 0 ? [shown] : []),
    ...(sharedName === undefined ? [] : [[sharedName]]),
  ];
  return fingerprint(parts.length > 0 ? [resources, ...parts] : resources);
}
