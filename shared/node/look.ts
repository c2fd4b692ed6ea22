/** Observe, desire and plan a Node: everything before the first write. */
import { chooseServer, conflictProblem } from '../desired/choose-server.ts';
import { desireNode } from '../desired/node.ts';
import type { DesiredNode } from '../desired/node.ts';
import { nodeLife } from '../desired/node-lifecycle.ts';
import type { NodeLife } from '../desired/node-lifecycle.ts';
import { lookAtCidrs } from './look-at-cidrs.ts';
import type { CidrReading, CidrsLook } from './look-at-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import { hasTaint, nodeAt, observedNode, UNINITIALIZED_TAINT } from '../model/node.ts';
import type { RecordedDeletions } from '../model/node-deletions.ts';
import type { NeutronPort, Server, Subport } from '../model/nova.ts';
import { APPROVE } from '../model/ownership.ts';
import type { Plan, Problem } from '../model/plan.ts';
import { parseProviderID } from '../model/provider-id.ts';
import type { DesiredResource, ObservedResource } from '../model/resources.ts';
import { brake } from '../plan/brake.ts';
import type { BrakeInput } from '../plan/brake.ts';
import { planNode } from '../plan/node.ts';
import type { World } from '../ports.ts';

/** Where a Node's server and its ports are read: by themselves, or out of what a sweep has listed. */
export interface ServerReading {
  readonly candidates: (node: Node) => Promise<readonly Server[]>;
  readonly ports: (server: Server) => Promise<readonly NeutronPort[]>;
  readonly subports: (ports: readonly NeutronPort[]) => Promise<readonly Subport[]>;
  /** Whoever else may claim the same server. */
  readonly others: (server: Server) => Promise<readonly Node[]>;
  /** Asked when a Node is about to go; undefined: that is not for this look to find out. */
  readonly deletions?: () => Promise<LeavingQuestion>;
  /** Where Nodes get their CIDRs from us. */
  readonly cidrs?: CidrReading;
  readonly projectId: string;
}

/** What the brake asks about the others. */
export interface LeavingQuestion extends Pick<BrakeInput, 'nodes' | 'nodesWithServer'> {
  readonly recorded: RecordedDeletions;
}

export interface NodeLook {
  readonly node: Node;
  readonly observed: readonly ObservedResource[];
  readonly plan: Plan;
  /** The server is not there; it is looked for once more then. */
  readonly againInMs?: number;
  /** What the brake was asked with; whoever deletes writes on from here. */
  readonly recorded?: RecordedDeletions;
  /** Where Nodes get their CIDRs from us. */
  readonly cidrs?: CidrsLook;
}

export async function lookAtNode(
  node: Node,
  reading: ServerReading,
  { config, clock }: Pick<World, 'config' | 'clock'>,
): Promise<NodeLook> {
  const { region = '' } = config.openstack;
  const { nodes: options, controllers } = config;
  const found = await findServer(node, reading, config);
  const serverId = parseProviderID(node.spec?.providerID ?? '')?.serverId ?? '';
  const life = nodeLife({
    node,
    server: controllers.includes('cloud-node-lifecycle-controller') ? found.server : 'unknown',
    shutdownStates: options.shutdownStates,
    place: { projectId: reading.projectId, region, serverId },
    now: clock.now(),
  });
  const wished =
    typeof found.server === 'object' && controllers.includes('cloud-node-controller')
      ? await wishFor(node, found.server, reading, config)
      : { resources: [], problems: [] };
  const leaving = life.leaves ? await reading.deletions?.() : undefined;
  const cidrs = life.leaves ? undefined : await lookAtCidrs(node, wished.resources, reading.cidrs, config);
  const { name, uid, annotations } = node.metadata;
  const { deletions = [] } = leaving?.recorded ?? {};
  const stop =
    leaving && brake({ ...leaving, deletions, uid, percent: options.deletionPercent, now: clock.now() });
  const observed = observedNode(node);
  const plan = planNode({
    name,
    desired: withLife(name, wished.resources, life, cidrs?.podCIDRs),
    observed,
    problems: [...found.problems, ...wished.problems, ...(cidrs?.problems ?? [])],
    leaves: life.leaves,
    ...(stop === undefined ? {} : { brake: stop }),
    approved: (annotations?.[APPROVE] ?? '').split(/[\s,]+/),
  });
  return {
    node,
    observed,
    plan,
    ...(life.againInMs === undefined ? {} : { againInMs: life.againInMs }),
    ...(leaving ? { recorded: leaving.recorded } : {}),
    ...(cidrs ? { cidrs } : {}),
  };
}

interface Found {
  readonly server: Server | 'gone' | 'unknown';
  readonly problems: readonly Problem[];
}

async function findServer(node: Node, reading: ServerReading, config: World['config']): Promise<Found> {
  const { nodes, controllers } = config;
  // who only gives out CIDRs needs none
  if (!controllers.some((name) => name.startsWith('cloud-node'))) return { server: 'unknown', problems: [] };
  const choice = chooseServer(node, await reading.candidates(node), {
    nameFrom: nodes.nameFrom,
    ...(config.openstack.region === undefined ? {} : { region: config.openstack.region }),
  });
  if ('problem' in choice) return { server: 'unknown', problems: [choice.problem] };
  if ('none' in choice) {
    if (choice.none === 'providerID') return { server: 'gone', problems: [] };
    return { server: 'unknown', problems: hasTaint(node, UNINITIALIZED_TAINT) ? [noServer(node)] : [] };
  }
  const conflict = conflictProblem(node, choice.found, await reading.others(choice.found));
  return conflict ? { server: 'unknown', problems: [conflict] } : { server: choice.found, problems: [] };
}

function noServer({ metadata }: Node): Problem {
  const message =
    'is the name of no server of the project, nor is its systemUUID the id of one; the Node waits for it';
  return { field: 'metadata.name', value: metadata.name, message };
}

async function wishFor(
  node: Node,
  server: Server,
  reading: ServerReading,
  config: World['config'],
): Promise<DesiredNode> {
  const ports = await reading.ports(server);
  return desireNode({ node, server, ports, subports: await reading.subports(ports), config });
}

/** Taints come from its life, but for that of its beginning; so do notes. All of it is one PATCH. */
function withLife(
  name: string,
  resources: readonly DesiredResource[],
  { taints, annotations }: NodeLife,
  podCIDRs: readonly string[] | undefined,
): readonly DesiredResource[] {
  const object = resources.find(({ kind }) => kind === 'node') as DesiredResource<'node'> | undefined;
  const begins = object?.attributes.taints !== undefined;
  const kept = begins ? taints.filter(({ key }) => key !== UNINITIALIZED_TAINT) : taints;
  const cidrs = podCIDRs ? { podCIDRs } : {};
  const attributes = { ...object?.attributes, taints: kept, annotations, ...cidrs };
  const merged = { kind: 'node', address: nodeAt(name), attributes, ifPresent: true } as const;
  return [...resources.filter((one) => one !== object), merged];
}
