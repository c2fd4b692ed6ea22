import type { Config } from '../config/config.ts';
import { NO_CERTIFICATES } from '../model/certificates.ts';
import type { CertificateFacts } from '../model/certificates.ts';
import type { Node } from '../model/kubernetes.ts';
import type { NetworkFacts } from '../model/network.ts';
import {
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
} from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Problem } from '../model/plan.ts';
import { keyOf } from '../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../model/resources.ts';
import { desireFloatingIP, keptFloatingIP } from './addresses.ts';
import { withinCapabilities } from './capabilities.ts';
import { desirePort } from './listeners.ts';
import { nodeSet } from './members.ts';
import { networkProblems } from './network-problems.ts';
import { selectNodes } from './node-selection.ts';
import { desireSecurityGroup, rulesHoldSourceRanges } from './security-group.ts';
import { desireStored } from './stored-certificates.ts';
import type { TlsSecrets } from './stored-certificates.ts';
import type { Wishes } from './wishes.ts';

export interface DesireInput {
  /** Of the Services that want the load balancer; the first one gives it its name. Empty: nothing is desired. */
  readonly wanted: readonly Wishes[];
  /** Of Services that are leaving: they desire nothing but, perhaps, to keep a floating IP. */
  readonly leaving: readonly Wishes[];
  readonly nodes: readonly Node[];
  readonly facts: NetworkFacts;
  readonly cluster: ClusterIdentity;
  /** Of the Service, where its traffic must stay on the nodes of its Pods. */
  readonly localNodes?: readonly string[];
  readonly octavia: { readonly major: number; readonly minor: number };
  readonly certificates?: CertificateFacts;
  readonly secrets?: TlsSecrets;
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
}

export function desireUnit(input: DesireInput, config: Config): Desired {
  const [owner] = input.wanted;
  if (!owner) {
    const kept = input.leaving.filter((wishes) => wishes.keepFloatingip);
    return {
      resources: kept.slice(0, 1).map((wishes) => keptFloatingIP(wishes, input.cluster)),
      problems: [],
      keepMembers: false,
      keepSecurityGroup: false,
      withoutAddress: [],
    };
  }
  const { memberSubnet } = input.facts;
  const { secrets = new Map() } = input;
  const selected = selectNodes(input.nodes, owner.nodeSelector);
  const nodes = nodeSet(selected.nodes, memberSubnet, owner.family);
  const floating = desireFloatingIP(owner, input.facts, input.cluster);
  const group = desireSecurityGroup(owner, nodes.reachable, input.facts, input.cluster, config.loadBalancer);
  const ports = input.wanted.flatMap(
    (wishes) =>
      wishes.service.spec.ports?.map((port, index) =>
        desirePort(port, index, {
          wishes: rulesHoldSourceRanges(config.loadBalancer) ? { ...wishes, allowed_cidrs: null } : wishes,
          cluster: input.cluster,
          nodes: nodes.reachable,
          octavia: input.octavia,
          store: config.loadBalancer.containerStore,
          certificates: input.certificates ?? NO_CERTIFICATES,
          secrets,
          ...(memberSubnet ? { memberSubnet } : {}),
          ...(input.localNodes ? { localNodes: input.localNodes } : {}),
        }),
      ) ?? [],
  );
  const able = withinCapabilities(
    [desireLoadBalancer(owner, input, config), ...ports.flatMap(({ resources }) => resources)],
    input.octavia,
    config.loadBalancer.lbProvider,
  );
  return {
    resources: [
      ...input.wanted.flatMap((wishes) => desireStored(wishes, input.cluster, secrets)),
      ...able.resources,
      ...floating.resources,
      ...group.resources,
    ],
    problems: [
      ...able.problems,
      ...input.wanted.flatMap((wishes) => wishes.problems),
      ...selected.problems,
      ...ports.flatMap(({ problems }) => problems),
      ...floating.problems,
      ...group.problems,
      ...networkProblems(owner, input, config),
    ],
    keepMembers: nodes.reachable.length === 0,
    keepSecurityGroup: group.keep,
    withoutAddress: nodes.withoutAddress,
  };
}

function desireLoadBalancer(
  owner: Wishes,
  input: DesireInput,
  config: Config,
): DesiredResource<'loadbalancer'> {
  const { cluster, facts } = input;
  const { loadBalancerIP } = owner.service.spec;
  const asked = owner.annotated.loadbalancer;
  const key = keyOf(owner.service);
  const useVipAddress =
    loadBalancerIP !== undefined && loadBalancerIP !== '' && (owner.internal || owner.family === 6);
  return {
    kind: 'loadbalancer',
    address: 'lb',
    attributes: {
      name: loadBalancerName(cluster.name, key),
      description: loadBalancerDescription(cluster.name, key),
      provider: config.loadBalancer.lbProvider,
      admin_state_up: true,
      ...placeOf(asked, facts),
      ...(asked.flavor_id === undefined ? {} : { flavor_id: asked.flavor_id }),
      ...(asked.availability_zone === undefined ? {} : { availability_zone: asked.availability_zone }),
      ...(useVipAddress ? { vip_address: loadBalancerIP } : {}),
      tags: [
        clusterTag(cluster),
        ...input.wanted.flatMap(({ service }) => [
          serviceTag(service.metadata.uid),
          nameTag(keyOf(service)),
          loadBalancerName(cluster.name, keyOf(service)),
        ]),
      ],
    },
  };
}

/** A port that is named is the VIP as it is: subnet and network are its own. */
function placeOf(asked: Partial<LoadBalancer>, facts: NetworkFacts): Partial<LoadBalancer> {
  if (asked.vip_port_id !== undefined) return { vip_port_id: asked.vip_port_id };
  return {
    ...(facts.vipSubnet ? { vip_subnet_id: facts.vipSubnet.id } : {}),
    ...(asked.vip_network_id === undefined ? {} : { vip_network_id: asked.vip_network_id }),
  };
}
