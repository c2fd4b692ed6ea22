import { familyOf, type Subnet } from '../../model/network/network-facts.ts';
import { problemForEach, type Problem } from '../../model/plan.ts';
import type { DesiredResource, Member } from '../../model/resources.ts';
import { someAddresses, type NodesOfFamily } from './member-nodes.ts';
import type { ReachableNode } from '../../model/node/node-set.ts';
import type { Port } from '../intent/ports.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { cidrContains } from '../../model/network/cidr.ts';
import type { Endpoints } from '../../model/load-balancer/observed-service.ts';

interface Behind extends NodesOfFamily {
  /** The nodes with their IP addresses of the second family; undefined unless each VIP needs members of its own family. */
  readonly secondFamily: NodesOfFamily | undefined;
  /** Nodes with an endpoint that takes traffic; undefined without externalTrafficPolicy Local: then all nodes are alike. */
  readonly localNodes: readonly string[] | undefined;
  readonly endpoints: Endpoints;
  readonly named: string | undefined;
}

export interface DesiredMembers {
  readonly members: readonly DesiredResource<'member'>[];
  readonly problems: readonly Problem[];
}

export function desireMembers(port: Port, behind: Behind): DesiredMembers {
  if (!port.pools) return { members: [], problems: [] };
  return port.isDirect ? desirePods(port, behind) : desireNodes(port, behind);
}

function desireNodes(port: Port, behind: Behind): DesiredMembers {
  const { nodePort } = port.spec;
  if (!nodePort) {
    const message = 'is missing: without it levelset cannot make a member';
    const field = `spec.ports[${port.index}].nodePort`;
    return { members: [], problems: [{ field, value: '', message }] };
  }
  const { nodes, memberSubnet, secondFamily } = behind;
  const second = secondFamily?.nodes ?? [];
  const shares = nodeShares(port, [...nodes, ...second], behind.localNodes);
  const member =
    (subnet: Subnet | undefined) =>
    ({ name, address }: ReachableNode): DesiredResource<'member'> => {
      const weight = shares.weights.get(name);
      const attributes = {
        name,
        address,
        protocol_port: nodePort,
        monitor_port: port.healthPort ?? null,
        ...(shares.keepsBackups ? {} : { backup: shares.backups.has(name) }),
        ...(weight === undefined ? {} : { weight }),
      };
      return desireMember(port, attributes, subnet, behind);
    };
  return {
    members: [...nodes.map(member(memberSubnet)), ...second.map(member(secondFamily?.memberSubnet))],
    problems: shares.problems,
  };
}

interface NodeShares {
  /** Weights by name of the node. Members on other nodes keep the weight that they have. */
  readonly weights: ReadonlyMap<string, number>;
  readonly backups: ReadonlySet<string>;
  /** The annotation that names them cannot be read, so those that are there stay. */
  readonly keepsBackups: boolean;
  readonly problems: readonly Problem[];
}

/**
 * With externalTrafficPolicy Local, nodes without an endpoint are backups: a Pod that moves is served before levelset notices. If no node has an
 * endpoint all are alike. Nodes that the Service names are backups too, unless all nodes would be backups then.
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
    const message = 'is not a node with a member on this port; levelset ignores it';
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

/** A member for each Pod in the member subnet; a Problem names the others. A gone Pod's goes at once: its IP address is soon another Pod's. */
function desirePods(port: Port, behind: Behind): DesiredMembers {
  const { memberSubnet, secondFamily, endpoints } = behind;
  const { pods = [], refused = [] } = endpoints[port.index] ?? {};
  const subnets = [memberSubnet, secondFamily?.memberSubnet].filter((subnet) => subnet !== undefined);
  const members = new Map<string, DesiredResource<'member'>>();
  const outside: string[] = [];
  for (const { pod: name, address, port: protocol_port } of pods) {
    // a Pod is one member, however many families it has, unless the port keeps them apart
    if (subnets.length > 0 && subnets.every(({ cidr }) => familyOf(cidr) !== familyOf(address))) continue;
    const subnet = subnets.find(({ cidr }) => cidrContains(cidr, address));
    const attributes = { name, address, protocol_port, monitor_port: null, backup: false };
    // a member listed twice locks Octavia for ever (docs/sources/openstack.md, "A member listed twice")
    if (subnet) members.set(`${address}:${protocol_port}`, desireMember(port, attributes, subnet, behind));
    else outside.push(address);
  }
  const problem = (addresses: readonly string[], message: string, count = addresses.length): Problem => {
    const value = someAddresses(addresses, count);
    return { field: `endpoints of spec.ports[${port.index}]`, value, message, passing: true };
  };
  const where = memberSubnet
    ? `they are not in ${memberSubnet.cidr}, the subnet of the members`
    : 'the subnet of the members is not known';
  const notInSubnet = `cannot be members: ${where}; name the subnet of the Pods in loadbalancer.openstack.org/member-subnet-id, or give the Service node ports`;
  return {
    members: [...members.values()],
    problems: [
      ...(outside.length > 0 ? [problem(outside, notInSubnet)] : []),
      ...refused.map(({ addresses, because, count }) =>
        problem(addresses, `is not made a member: ${because}`, count),
      ),
      ...(pods.length + refused.length === 0
        ? [problem([], 'are missing: no Pod takes traffic on this port, so nothing answers there')]
        : []),
    ],
  };
}

/** A subnet that neither the annotation nor cloud.conf names is only a starting value (`unasked`), since Octavia has its own default. */
function desireMember(
  { at }: Port,
  attributes: Partial<Member> & Pick<Member, 'address' | 'protocol_port'>,
  subnet: Subnet | undefined,
  { named }: Behind,
): DesiredResource<'member'> {
  return {
    kind: 'member',
    address: `member/${at}/${attributes.address}:${attributes.protocol_port}`,
    parent: `pool/${at}`,
    attributes: { ...attributes, admin_state_up: true, ...(subnet ? { subnet_id: subnet.id } : {}) },
    ...(subnet && subnet.id !== named ? { unasked: ['subnet_id'] } : {}),
  };
}
