/** Members that are nodes, at the node port. */
import type { ServicePort } from '../model/kubernetes.ts';
import type { Subnet } from '../model/network.ts';
import type { Problem } from '../model/plan.ts';
import type { DesiredResource } from '../model/resources.ts';
import type { NodesOfFamily, ReachableNode } from './members.ts';
import { localHealthPort } from './monitors.ts';
import type { Wishes } from './wishes.ts';

interface Place {
  readonly port: ServicePort;
  readonly index: number;
  /** `tcp/80`. */
  readonly at: string;
  readonly wishes: Wishes;
  readonly nodes: readonly ReachableNode[];
  readonly memberSubnet?: Subnet;
  readonly secondFamily?: NodesOfFamily;
  readonly localNodes?: readonly string[];
}

/** A member for each node that can be used, at the port's node port. */
export function desireNodes(place: Place): {
  readonly members: readonly DesiredResource<'member'>[];
  readonly problems: readonly Problem[];
} {
  const { nodePort } = place.port;
  if (!nodePort) return { members: [], problems: [noNodePort(place.index)] };
  const { nodes, memberSubnet, secondFamily } = place;
  const second = secondFamily?.nodes ?? [];
  return {
    members: [
      ...nodes.map((node) => desireMember(node, nodePort, memberSubnet, place)),
      ...second.map((node) => desireMember(node, nodePort, secondFamily?.memberSubnet, place)),
    ],
    problems: [],
  };
}

function noNodePort(index: number): Problem {
  const message = 'has no node port, so nothing can be reached behind it';
  return { field: `spec.ports[${index}].nodePort`, value: '', message };
}

/**
 * With externalTrafficPolicy Local the nodes without a ready endpoint stay members, as backups: no traffic goes to them
 * while a node with one is up, and it goes where the Pods went before we know it. Without any endpoint all are alike.
 */
function isBackup(node: ReachableNode, localNodes: readonly string[] = []): boolean {
  return localNodes.length > 0 && !localNodes.includes(node.name);
}

function desireMember(
  node: ReachableNode,
  nodePort: number,
  memberSubnet: Subnet | undefined,
  { at, wishes, localNodes }: Place,
): DesiredResource<'member'> {
  return {
    kind: 'member',
    address: `member/${at}/${node.address}:${nodePort}`,
    parent: `pool/${at}`,
    attributes: {
      name: node.name,
      address: node.address,
      protocol_port: nodePort,
      ...(memberSubnet ? { subnet_id: memberSubnet.id } : {}),
      monitor_port: localHealthPort(wishes) ?? null,
      backup: isBackup(node, localNodes),
      admin_state_up: true,
    },
  };
}
