/** Members that are Pods: of a port without a node port, where spec.allocateLoadBalancerNodePorts is false. */
import { cidrContains } from '../../../model/network/cidr.ts';
import type {
  Endpoints,
  PodEndpoint,
  PortEndpoints,
} from '../../../model/load-balancer/service-endpoints.ts';
import { familyOf } from '../../../model/network/network-facts.ts';
import type { Subnet } from '../../../model/network/network-facts.ts';
import type { Problem } from '../../../model/plan.ts';
import type { DesiredResource } from '../../../model/resources.ts';
import { inSubnet } from './member-subnet.ts';
import type { Annotated } from '../../intent/read-annotations.ts';

interface Place {
  readonly index: number;
  /** `tcp/80`. */
  readonly at: string;
  readonly intent: { readonly annotated: Annotated };
  readonly memberSubnet?: Subnet;
  /** Where a port has members of both families. */
  readonly secondFamily?: { readonly memberSubnet?: Subnet };
  readonly endpoints?: Endpoints;
}

/**
 * A member for each Pod that takes traffic and that the load balancer can reach: its address is in the member subnet. All
 * others are told of, with the reason. No member stays that is no endpoint: its address is soon another Pod's.
 */
export function desirePods(place: Place): {
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
    // one at an address: a member listed twice locks Octavia for ever (openstack-lab.md)
    members: [...new Map(members.map((member) => [member.address, member])).values()],
    problems: [
      ...(outside.length > 0 ? [notInSubnet(index, outside, memberSubnet)] : []),
      ...reasonsOf(refused).map(([because, addresses]) => noPod(index, addresses, because)),
      ...(pods.length + refused.length === 0 ? [noEndpoint(index)] : []),
    ],
  };
}

function desirePod(
  { pod, address, port }: PodEndpoint,
  subnet: Subnet,
  { at, intent }: Place,
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

/** By reason, in the order of their first address. */
function reasonsOf(refused: PortEndpoints['refused']): readonly (readonly [string, readonly string[]])[] {
  const reasons = [...new Set(refused.map(({ because }) => because))];
  return reasons.map((because) => [
    because,
    refused.filter((one) => one.because === because).map(({ address }) => address),
  ]);
}

/** So many addresses are told one by one; a condition has its limits. */
const MOST_SHOWN = 5;

function problem(index: number, addresses: readonly string[], message: string): Problem {
  const more = addresses.length > MOST_SHOWN ? [`and ${addresses.length - MOST_SHOWN} more`] : [];
  const value = [...addresses].sort().slice(0, MOST_SHOWN).concat(more).join(', ');
  return { field: `endpoints of spec.ports[${index}]`, value, message, passing: true };
}

function notInSubnet(index: number, addresses: readonly string[], subnet: Subnet | undefined): Problem {
  const where = subnet
    ? `not in ${subnet.cidr}, the subnet of the members`
    : 'the subnet of the members is not known';
  const message = `not reached: ${where}; name that of the Pods in loadbalancer.openstack.org/member-subnet-id, or let the Service have node ports`;
  return problem(index, addresses, message);
}

function noPod(index: number, addresses: readonly string[], because: string): Problem {
  return problem(index, addresses, `left out: ${because}`);
}

function noEndpoint(index: number): Problem {
  return problem(index, [], 'there are none that take traffic, so nothing answers on this port');
}
