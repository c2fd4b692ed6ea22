import type { ServicePort } from '../../model/kubernetes.ts';
import { familyOf } from '../../model/network/network-facts.ts';
import type { Subnet } from '../../model/network/network-facts.ts';
import { problemForEach } from '../../model/plan.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import type { PortNodes } from './nodes/port-nodes.ts';
import type { ReachableNode } from '../../model/node/node-set.ts';
import { localHealthPort } from './desire-monitor.ts';
import type { PortIntent, Annotated } from '../intent/read-annotations.ts';
import { withSetRecord } from './set-record.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { cidrContains } from '../../model/network/cidr.ts';
import type {
  Endpoints,
  PodEndpoint,
  RefusedEndpoints,
} from '../../model/load-balancer/service-endpoints.ts';

interface NodePlace extends PortNodes {
  readonly port: ServicePort;
  readonly index: number;
  /** `tcp/80`. */
  readonly at: string;
  readonly intent: ServiceIntent;
  readonly portIntent: PortIntent;
}

/** Members of a port that are nodes: one for each usable node, at the node port. */
export function desireNodes(place: NodePlace): {
  readonly members: readonly DesiredResource<'member'>[];
  readonly problems: readonly Problem[];
} {
  const { nodePort } = place.port;
  if (!nodePort) return { members: [], problems: [noNodePort(place.index)] };
  const { nodes, memberSubnet, secondFamily } = place;
  const second = secondFamily?.nodes ?? [];
  const shares = nodeShares(place.portIntent, [...nodes, ...second], place.localNodes);
  const member = (node: ReachableNode, subnet: Subnet | undefined): DesiredResource<'member'> =>
    desireMember(node, { ...place, nodePort, subnet, shares });
  return {
    members: [
      ...nodes.map((node) => member(node, memberSubnet)),
      ...second.map((node) => member(node, secondFamily?.memberSubnet)),
    ],
    problems: shares.problems,
  };
}

function noNodePort(index: number): Problem {
  const message = 'is missing: levelset can make no member without it';
  return { field: `spec.ports[${index}].nodePort`, value: '', message };
}

interface Spot extends Pick<NodePlace, 'at' | 'intent'> {
  readonly nodePort: number;
  readonly subnet: Subnet | undefined;
  readonly shares: NodeShares;
}

function desireMember(
  node: ReachableNode,
  { at, intent, nodePort, subnet, shares }: Spot,
): DesiredResource<'member'> {
  const weight = shares.weights.get(node.name);
  const member = withSetRecord<'member'>({
    kind: 'member',
    address: `member/${at}/${node.address}:${nodePort}`,
    parent: `pool/${at}`,
    attributes: {
      name: node.name,
      address: node.address,
      protocol_port: nodePort,
      monitor_port: localHealthPort(intent) ?? null,
      ...(shares.keepsBackups ? {} : { backup: shares.backups.has(node.name) }),
      ...(weight === undefined ? {} : { weight }),
      admin_state_up: true,
    },
  });
  return inSubnet(member, subnet, intent);
}

interface NodeShares {
  /** Weights by name of the node. Members on other nodes keep the weight that they have. */
  readonly weights: ReadonlyMap<string, number>;
  /** Names of the nodes that get traffic only while no other can. */
  readonly backups: ReadonlySet<string>;
  /** The annotation that names them cannot be read, so those that are there stay. */
  readonly keepsBackups: boolean;
  readonly problems: readonly Problem[];
}

/**
 * Weights and backups of a port's nodes. With externalTrafficPolicy Local, nodes without an endpoint that takes traffic
 * are backups: they get traffic only while no node with one is up, so a Pod that moves is served before levelset
 * notices. If no node has such an endpoint, all nodes are alike. Nodes that the Service names are backups too, unless
 * all nodes would be backups then.
 */
export function nodeShares(
  { ServicePort, spelled }: PortIntent,
  nodes: readonly ReachableNode[],
  localNodes: readonly string[] = [],
): NodeShares {
  const { memberWeights: weights = {}, backupMembers: named = [] } = ServicePort;
  const names = new Set(nodes.map(({ name }) => name));
  const local = new Set(localNodes);
  const remote = new Set(local.size > 0 ? [...names].filter((name) => !local.has(name)) : []);
  const backups = new Set(named);
  const both = new Set([...names].filter((name) => remote.has(name) || backups.has(name)));
  const unknown = (
    setting: 'memberWeights' | 'backupMembers',
    nodeNames: readonly string[],
  ): readonly Problem[] => {
    const field = spelled[`ServicePort.${setting}`]?.name ?? setting;
    const message = 'is no node that is a member of this port; levelset ignores it';
    const missing = nodeNames.filter((name) => !names.has(name));
    return problemForEach(missing, (value) => ({ field, value, message }));
  };
  return {
    weights: new Map(Object.entries(weights)),
    backups: both.size < names.size ? both : remote,
    keepsBackups: spelled['ServicePort.backupMembers']?.ignored === true,
    problems: [...unknown('memberWeights', Object.keys(weights)), ...unknown('backupMembers', named)],
  };
}

interface PodPlace {
  readonly index: number;
  /** `tcp/80`. */
  readonly at: string;
  readonly intent: { readonly annotated: Annotated };
  readonly memberSubnet?: Subnet;
  /** Present if the port has members of both families. */
  readonly secondFamily?: { readonly memberSubnet?: Subnet };
  readonly endpoints?: Endpoints;
}

/**
 * Members of a port without a node port (spec.allocateLoadBalancerNodePorts is false): one for each Pod that takes
 * traffic and whose IP address is in the member subnet, so that the load balancer can reach it. A Problem names the
 * other Pods, with the reason. The member for a Pod that is gone is removed at once: its IP address is soon another
 * Pod's.
 */
export function desirePods(place: PodPlace): {
  readonly members: readonly DesiredResource<'member'>[];
  readonly problems: readonly Problem[];
} {
  const { index, memberSubnet, secondFamily, endpoints = [] } = place;
  const { pods = [], refused = [] } = endpoints[index] ?? {};
  const subnets = [memberSubnet, secondFamily?.memberSubnet].filter((subnet) => subnet !== undefined);
  // a Pod is one member, however many families it has, unless the port keeps them apart
  const located = pods.filter(
    ({ address }) => subnets.length === 0 || subnets.some(({ cidr }) => familyOf(cidr) === familyOf(address)),
  );
  const found = located.map((pod) => ({
    pod,
    subnet: subnets.find(({ cidr }) => cidrContains(cidr, pod.address)),
  }));
  const members = found.flatMap(({ pod, subnet }) => (subnet ? [desirePod(pod, subnet, place)] : []));
  const outside = found.flatMap(({ pod, subnet }) => (subnet ? [] : [pod.address]));
  return {
    // no member twice: a member listed twice locks Octavia for ever (docs/sources/openstack.md, "A member listed
    // twice")
    members: [...new Map(members.map((member) => [member.address, member])).values()],
    problems: [
      ...(outside.length > 0 ? [notInSubnet(index, outside, memberSubnet)] : []),
      ...refused.map((one) => noPod(index, one)),
      ...(pods.length + refused.length === 0 ? [noEndpoint(index)] : []),
    ],
  };
}

function desirePod(
  { pod, address, port }: PodEndpoint,
  subnet: Subnet,
  { at, intent }: PodPlace,
): DesiredResource<'member'> {
  const member = {
    kind: 'member',
    address: `member/${at}/${address}:${port}`,
    parent: `pool/${at}`,
    attributes: {
      name: pod,
      address,
      protocol_port: port,
      monitor_port: null,
      backup: false,
      admin_state_up: true,
    },
  } as const;
  return inSubnet(member, subnet, intent);
}

/** So many IP addresses are shown one by one, since a condition has a limited length. */
const MOST_SHOWN = 5;

function podProblem(
  index: number,
  addresses: readonly string[],
  message: string,
  count = addresses.length,
): Problem {
  const more = count > MOST_SHOWN ? [`and ${count - MOST_SHOWN} more`] : [];
  const value = [...addresses].sort().slice(0, MOST_SHOWN).concat(more).join(', ');
  return { field: `endpoints of spec.ports[${index}]`, value, message, passing: true };
}

function notInSubnet(index: number, addresses: readonly string[], subnet: Subnet | undefined): Problem {
  const where = subnet
    ? `they are not in ${subnet.cidr}, the subnet of the members`
    : 'the subnet of the members is not known';
  const message = `are no members: ${where}; name the subnet of the Pods in loadbalancer.openstack.org/member-subnet-id, or give the Service node ports`;
  return podProblem(index, addresses, message);
}

function noPod(index: number, { because, addresses, count }: RefusedEndpoints): Problem {
  return podProblem(index, addresses, `is not made a member: ${because}`, count);
}

function noEndpoint(index: number): Problem {
  return podProblem(index, [], 'are missing: no Pod takes traffic, so nothing answers on this port');
}

/**
 * The member with its subnet, if that is known. A subnet that neither the annotation nor cloud.conf names is only a
 * starting value (`unasked`), since Octavia has its own default.
 */
function inSubnet(
  member: DesiredResource<'member'>,
  subnet: Subnet | undefined,
  { annotated }: { readonly annotated: Annotated },
): DesiredResource<'member'> {
  if (!subnet) return member;
  const isAnnotated = subnet.id === annotated.Service.memberSubnetId;
  return {
    ...member,
    attributes: { ...member.attributes, subnet_id: subnet.id },
    ...(isAnnotated ? {} : { unasked: ['subnet_id'] }),
  };
}
