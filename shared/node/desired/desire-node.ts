import type { Config } from '../../config/config.ts';
import type { Node } from '../../model/kubernetes.ts';
import {
  hasTaint,
  nodeAt,
  nodeStatusAt,
  PROVIDED_NODE_IP,
  UNINITIALIZED_TAINT,
} from '../../model/node/node.ts';
import type { NodeObject, DesiredResource } from '../../model/resources.ts';
import type { NeutronPort, Server, Subport } from '../../model/node/nova.ts';
import type { Problem } from '../../model/plan.ts';
import { formatProviderID } from '../../model/node/provider-id.ts';
import { nodeAddresses } from './node-addresses.ts';
import { nodeLabels } from './node-labels.ts';

interface NodeIntent {
  readonly node: Node;
  readonly server: Server;
  readonly ports: readonly NeutronPort[];
  readonly subports?: readonly Subport[];
  readonly config: Pick<Config, 'networking' | 'nodes' | 'openstack'>;
}

export interface DesiredNode {
  /** The status comes first, since a Node is used as soon as its taint is gone. */
  readonly resources: readonly DesiredResource<'node' | 'nodestatus'>[];
  readonly problems: readonly Problem[];
}

/**
 * A Node with the uninitialized taint gets providerID, labels and addresses and loses the taint, but not while its
 * addresses are unknown. Labels and addresses follow the server later, too (decision 104).
 */
export function desireNode(intent: NodeIntent): DesiredNode {
  const { node, server, config } = intent;
  const { name, annotations } = node.metadata;
  const provided = annotations?.[PROVIDED_NODE_IP];
  const { addresses, problems, incomplete } = nodeAddresses({
    ...intent,
    existing: node.status?.addresses ?? [],
    ...(provided === undefined ? {} : { providedNodeIPs: provided }),
    options: config.networking,
  });
  const isNew = hasTaint(node, UNINITIALIZED_TAINT);
  if (isNew && incomplete) return { resources: [], problems };
  const attributes: Partial<NodeObject> = {
    ...(isNew ? initialisation(intent) : {}),
    ...(isNew || isInitialised(node) ? { labels: nodeLabels(server, config.openstack.region) } : {}),
  };
  const status = {
    kind: 'nodestatus',
    address: nodeStatusAt(name),
    attributes: { addresses },
    ifPresent: true,
  } as const;
  const object = { kind: 'node', address: nodeAt(name), attributes, ifPresent: true } as const;
  return { resources: [...(addresses.length === 0 ? [] : [status]), object], problems };
}

/** What an uninitialized Node gets. Kubernetes refuses to change a providerID, so one that is set stays. */
function initialisation({ node, server, config }: NodeIntent): Partial<NodeObject> {
  const { nodes, openstack } = config;
  const region = nodes.regionalProviderID ? openstack.region : undefined;
  return {
    ...(isInitialised(node) ? {} : { providerID: formatProviderID(server.id, region) }),
    taints: (node.spec?.taints ?? []).filter(({ key }) => key !== UNINITIALIZED_TAINT),
  };
}

/** A Node with neither providerID nor taint is of a kubelet that asked for no cloud provider. */
function isInitialised({ spec }: Node): boolean {
  return (spec?.providerID ?? '') !== '';
}
