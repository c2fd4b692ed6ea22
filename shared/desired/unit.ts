import type { Config } from '../config/config.ts';
import { NO_CERTIFICATES } from '../model/certificates.ts';
import type { CertificateFacts, CertificateInUse, Horizon } from '../model/certificates.ts';
import type { PortEndpoints } from '../model/endpoints.ts';
import type { Node } from '../model/kubernetes.ts';
import { memberSubnetOf } from '../model/network.ts';
import type { NetworkFacts } from '../model/network.ts';
import {
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
} from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Offers } from '../model/offers.ts';
import type { Problem } from '../model/plan.ts';
import { describe } from '../model/description.ts';
import { userTags } from '../model/user-tags.ts';
import { keyOf } from '../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../model/resources.ts';
import { desireFloatingIP, keptFloatingIP } from './addresses.ts';
import { withinCapabilities } from './capabilities.ts';
import { watchCertificates } from './certificate-expiry.ts';
import { desirePort } from './listeners.ts';
import { familyProblems } from './family-problems.ts';
import { keepsFamily, nodeSet, secondFamilyOf } from './members.ts';
import { networkProblems } from './network-problems.ts';
import { selectNodes } from './node-selection.ts';
import { desireSecurityGroup, rulesHoldSourceRanges } from './security-group.ts';
import { desireOffers } from './offers.ts';
import { spelledBy } from './spelled-by.ts';
import { withSetRecord } from './set-record.ts';
import type { ServedSecrets } from './served-secrets.ts';
import { desireStored } from './stored-certificates.ts';
import { desireVips, servedFamilies } from './vips.ts';
import { withFamilies } from './wishes.ts';
import type { Wishes } from './wishes.ts';

export interface DesireInput {
  /** Of the Services that want the load balancer; the first one gives it its name. Empty: nothing is desired. */
  readonly wanted: readonly Wishes[];
  /** Of Services that are leaving: they desire nothing but, perhaps, to keep a floating IP. */
  readonly leaving: readonly Wishes[];
  /** Another Service's load balancer, or a user's own: the floating IP is not for it to ask for. */
  readonly joins: boolean;
  readonly nodes: readonly Node[];
  readonly facts: NetworkFacts;
  readonly cluster: ClusterIdentity;
  /** Of the Service, where its traffic must stay on the nodes of its Pods. */
  readonly localNodes?: readonly string[];
  /** Of the Service, by port: the Pods behind it, where they are the members. */
  readonly endpoints?: readonly (PortEndpoints | undefined)[];
  readonly octavia: { readonly major: number; readonly minor: number };
  readonly offers?: Offers;
  readonly certificates?: CertificateFacts;
  readonly secrets?: ServedSecrets;
  readonly horizon: Horizon;
}

/** What should be there. The one such function: every trigger, and deletion, goes through it. */
export interface Desired {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  /** No node can be used: pools that have members keep them (design.md, "Deletion"). */
  readonly keepMembers: boolean;
  /** What the security group should open cannot be said: it stays as it is. */
  readonly keepSecurityGroup: boolean;
  readonly withoutAddress: readonly string[];
  /** Those whose end is known. */
  readonly certificates: readonly CertificateInUse[];
}

export function desireUnit(input: DesireInput, config: Config): Desired {
  const [first] = input.wanted;
  if (!first) {
    const kept = input.leaving.filter((wishes) => wishes.keepFloatingip);
    return {
      resources: kept.slice(0, 1).map((wishes) => keptFloatingIP(wishes, input.cluster)),
      problems: [],
      keepMembers: false,
      keepSecurityGroup: false,
      withoutAddress: [],
      certificates: [],
    };
  }
  const { secrets = new Map(), certificates = NO_CERTIFICATES, facts, octavia, horizon } = input;
  const served = servedFamilies(first, facts, octavia);
  const wanted = input.wanted.map((wishes) => withFamilies(wishes, served));
  const owner = withFamilies(first, served);
  const memberSubnet = memberSubnetOf(facts, owner.family);
  const selected = selectNodes(input.nodes, owner.nodeSelector);
  const nodes = nodeSet(selected.nodes, memberSubnet, owner.family);
  const second = secondFamilyOf(owner, selected.nodes, nodes.reachable, facts);
  const vips = desireVips(owner, facts, octavia);
  const offered = desireOffers(owner, input.offers ?? {});
  const { lbProvider: provider } = config.loadBalancer;
  const floating = input.joins
    ? { resources: [], problems: [] }
    : desireFloatingIP(owner, input.facts, input.cluster);
  const reached =
    second?.nodes.length || nodes.reachable.length === 0 ? owner : { ...owner, families: [owner.family] };
  const group = desireSecurityGroup(
    reached,
    { nodes: nodes.reachable, endpoints: input.endpoints },
    input.facts,
    input.cluster,
    config.loadBalancer,
  );
  const ports = wanted.flatMap(
    (wishes) =>
      wishes.service.spec.ports?.map((port, index) =>
        desirePort(port, index, {
          wishes: rulesHoldSourceRanges(config.loadBalancer) ? { ...wishes, allowed_cidrs: null } : wishes,
          cluster: input.cluster,
          nodes: nodes.reachable,
          store: config.loadBalancer.containerStore,
          certificates,
          secrets,
          ...(memberSubnet ? { memberSubnet } : {}),
          ...(second && keepsFamily(port.protocol, provider) ? { secondFamily: second } : {}),
          ...(input.localNodes ? { localNodes: input.localNodes } : {}),
          ...(input.endpoints ? { endpoints: input.endpoints } : {}),
        }),
      ) ?? [],
  );
  const watched = wanted.map((wishes) => watchCertificates(wishes, { certificates, secrets, horizon }));
  const able = withinCapabilities(
    [
      desireLoadBalancer(owner, { ...vips.attributes, ...offered.attributes }, input, config),
      ...ports.flatMap(({ resources }) => resources),
    ],
    { ...octavia, provider },
    spelledBy(wanted),
  );
  return {
    resources: [
      ...wanted.flatMap((wishes) => desireStored(wishes, input.cluster, secrets)),
      ...able.resources,
      ...floating.resources,
      ...group.resources,
    ],
    problems: [
      ...able.problems,
      ...wanted.flatMap(({ problems, rangeProblems }) => [...problems, ...rangeProblems]),
      ...selected.problems,
      ...ports.flatMap(({ problems }) => problems),
      ...floating.problems,
      ...group.problems,
      ...vips.problems,
      ...offered.problems,
      ...networkProblems(owner, { ...input, wanted, served }, config),
      ...familyProblems(first, facts, octavia, input.joins === true),
      ...watched.flatMap(({ problems }) => problems),
    ],
    keepMembers: nodes.reachable.length === 0 && able.resources.some(isPoolOfNodes),
    keepSecurityGroup: group.keep,
    withoutAddress: nodes.withoutAddress,
    certificates: watched.flatMap(({ inUse }) => inUse),
  };
}

function isPoolOfNodes({ kind, mayBeEmpty }: DesiredResource): boolean {
  return kind === 'pool' && mayBeEmpty !== true;
}

function desireLoadBalancer(
  owner: Wishes,
  placed: Partial<LoadBalancer>,
  { cluster, wanted, facts }: DesireInput,
  config: Config,
): DesiredResource<'loadbalancer'> {
  const asked = owner.annotated.loadbalancer;
  const { description, tags } = owner.annotated.Service;
  const key = keyOf(owner.service);
  return withSetRecord<'loadbalancer'>({
    kind: 'loadbalancer',
    address: 'lb',
    attributes: {
      name: loadBalancerName(cluster.name, key),
      description: describe(description, loadBalancerDescription(cluster.name, key)),
      provider: config.loadBalancer.lbProvider,
      admin_state_up: true,
      ...placed,
      ...(asked.vip_qos_policy_id === undefined || facts.noQosPolicy
        ? {}
        : { vip_qos_policy_id: asked.vip_qos_policy_id }),
      ...(asked.vip_sg_ids === undefined ? {} : { vip_sg_ids: asked.vip_sg_ids }),
      tags: [
        clusterTag(cluster),
        ...wanted.flatMap(({ service }) => [
          serviceTag(service.metadata.uid),
          nameTag(keyOf(service)),
          loadBalancerName(cluster.name, keyOf(service)),
        ]),
        ...userTags(key, tags),
      ],
    },
  });
}
