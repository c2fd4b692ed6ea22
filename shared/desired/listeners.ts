import type { ServicePort } from '../model/kubernetes.ts';
import { childName, clusterTag, loadBalancerName, portTag, serviceTag } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Problem } from '../model/plan.ts';
import { keyOf } from '../model/request.ts';
import type { DesiredResource } from '../model/resources.ts';
import type { Subnet } from '../model/network.ts';
import { desireMonitor, localHealthPort } from './monitors.ts';
import type { ReachableNode } from './members.ts';
import type { Wishes } from './wishes.ts';

export interface PortContext {
  readonly wishes: Wishes;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly ReachableNode[];
  readonly memberSubnet?: Subnet;
}

/** Listener, pool, members and monitor of one port of a Service. */
export function desirePort(
  port: ServicePort,
  index: number,
  context: PortContext,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const { service, annotated, allowed_cidrs, monitor } = context.wishes;
  const protocol = (port.protocol ?? 'TCP') as 'TCP' | 'UDP' | 'SCTP';
  const family = protocol.toLowerCase();
  const at = `${family}/${port.port}`;
  const lbName = loadBalancerName(context.cluster.name, keyOf(service));

  const pool: DesiredResource<'pool'> = {
    kind: 'pool',
    address: `pool/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('pool', index, lbName),
      protocol,
      lb_algorithm: annotated.attributes.pool.lb_algorithm ?? 'ROUND_ROBIN',
      admin_state_up: true,
      session_persistence: service.spec.sessionAffinity === 'ClientIP' ? { type: 'SOURCE_IP' } : null,
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [portTag(family, port.port)],
    },
  };
  const listener: DesiredResource<'listener'> = {
    kind: 'listener',
    address: `listener/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('listener', index, lbName),
      protocol,
      protocol_port: port.port,
      admin_state_up: true,
      ...annotated.attributes.listener,
      allowed_cidrs,
      default_pool_id: { $ref: `pool/${at}.id` },
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [clusterTag(context.cluster), serviceTag(service.metadata.uid), lbName],
    },
  };
  const check = monitor
    ? desireMonitor(protocol, at, childName('monitor', index, lbName), context.wishes)
    : { resources: [], problems: [] };
  const members = port.nodePort
    ? context.nodes.map((node) => desireMember(node, port.nodePort ?? 0, at, context))
    : [];
  return {
    resources: [pool, ...members, ...check.resources, listener],
    problems: [...(port.nodePort ? [] : [noNodePort(index)]), ...check.problems],
  };
}

function noNodePort(index: number): Problem {
  const message = 'has no node port, so nothing can be reached behind it';
  return { field: `spec.ports[${index}].nodePort`, value: '', message };
}

function desireMember(
  node: ReachableNode,
  nodePort: number,
  at: string,
  context: PortContext,
): DesiredResource<'member'> {
  return {
    kind: 'member',
    address: `member/${at}/${node.address}:${nodePort}`,
    parent: `pool/${at}`,
    attributes: {
      name: node.name,
      address: node.address,
      protocol_port: nodePort,
      ...(context.memberSubnet ? { subnet_id: context.memberSubnet.id } : {}),
      monitor_port: context.wishes.monitor ? (localHealthPort(context.wishes) ?? null) : null,
      admin_state_up: true,
    },
  };
}
