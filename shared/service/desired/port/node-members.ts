/** Members that are nodes, at the node port. */
import type { ServicePort } from '../../../model/kubernetes.ts';
import type { Subnet } from '../../../model/network/network-facts.ts';
import type { Problem } from '../../../model/plan.ts';
import type { DesiredResource } from '../../../model/resources.ts';
import type { PortNodes } from '../port-nodes.ts';
import type { ReachableNode } from '../../../model/node/node-set.ts';
import { inSubnet } from './member-subnet.ts';
import { localHealthPort } from './monitors.ts';
import { nodeShares } from './node-shares.ts';
import type { NodeShares } from './node-shares.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';
import { withSetRecord } from '../set-record.ts';
import type { ServiceIntent } from '../../intent/service-intent.ts';

interface Place extends PortNodes {
  readonly port: ServicePort;
  readonly index: number;
  /** `tcp/80`. */
  readonly at: string;
  readonly intent: ServiceIntent;
  readonly portIntent: PortIntent;
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
  const message = 'has no node port, so nothing can be reached behind it';
  return { field: `spec.ports[${index}].nodePort`, value: '', message };
}

interface Spot extends Pick<Place, 'at' | 'intent'> {
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
      backup: shares.backups.includes(node.name),
      ...(weight === undefined ? {} : { weight }),
      admin_state_up: true,
    },
  });
  return inSubnet(member, subnet, intent);
}
