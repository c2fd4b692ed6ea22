/** Observe, desire and plan a Node: everything before the first write. */
import { desireNode } from './desired/desire-node.ts';
import type { DesiredNode } from './desired/desire-node.ts';
import { nodeLife } from './desired/node-lifecycle.ts';
import type { NodeLife } from './desired/node-lifecycle.ts';
import { findServer } from './find-server.ts';
import { evaluateCidrs } from './evaluate-cidrs.ts';
import type { CidrsEvaluation } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import { nodeAt, observedNode, UNINITIALIZED_TAINT } from '../model/node/node.ts';
import type { RecordedDeletions } from '../model/node/node-records.ts';
import type { Server } from '../model/node/nova.ts';
import { APPROVE } from '../model/ownership.ts';
import type { Plan } from '../model/plan.ts';
import { parseProviderID } from '../model/node/provider-id.ts';
import type { DesiredResource, ObservedResource } from '../model/resources.ts';
import { deletionBudget } from './plan/deletion-budget.ts';
import { planNode } from './plan/plan-node.ts';
import type { ServerReading } from './server-reading.ts';
import type { World } from '../ports.ts';

export interface NodeEvaluation {
  readonly node: Node;
  readonly observed: readonly ObservedResource[];
  readonly plan: Plan;
  /** The server is not there; it is looked for once more then. */
  readonly againInMs?: number;
  /** Of a Node whose server is gone for good, where that was this look's to find out. */
  readonly leaving?: Leaving;
  /** Where Nodes get their CIDRs from us. */
  readonly cidrs?: CidrsEvaluation;
}

export interface Leaving {
  /** What the brake was asked with; whoever deletes writes on from here. */
  readonly recorded: RecordedDeletions;
  /** When it was seen that this server is gone and others are not, in milliseconds since 1970. */
  readonly seenAt: number;
  /** The same Node's plan if that is what is recorded. */
  readonly planWith: (recorded: RecordedDeletions) => Plan;
}

export async function evaluateNode(
  node: Node,
  reading: ServerReading,
  { config, clock }: Pick<World, 'config' | 'clock'>,
): Promise<NodeEvaluation> {
  const { region = '' } = config.openstack;
  const { nodes: options, controllers } = config;
  const found = await findServer(node, reading, config);
  const projectId = found.server === 'gone' ? await reading.projectId() : '';
  const serverId = parseProviderID(node.spec?.providerID ?? '')?.serverId ?? '';
  const life = nodeLife({
    node,
    server: controllers.includes('cloud-node-lifecycle-controller') ? found.server : 'unmanaged',
    shutdownStates: options.shutdownStates,
    place: { projectId, region, serverId },
    now: clock.now(),
  });
  const desired =
    typeof found.server === 'object' && controllers.includes('cloud-node-controller')
      ? await intentFor(node, found.server, reading, config)
      : { resources: [], problems: [] };
  const asked = life.leaves ? await reading.deletions?.() : undefined;
  const cidrs = life.leaves ? undefined : await evaluateCidrs(node, desired.resources, reading.cidrs, config);
  const { name, uid, annotations } = node.metadata;
  const observed = observedNode(node);
  const planWith = (recorded?: RecordedDeletions): Plan => {
    const { deletionPercent: percent } = options;
    const stop =
      asked && recorded && deletionBudget({ ...asked, ...recorded, uid, percent, now: clock.now() });
    return planNode({
      name,
      desired: withLife(name, desired.resources, life, cidrs?.podCIDRs),
      observed,
      problems: [...found.problems, ...desired.problems, ...(cidrs?.problems ?? [])],
      leaves: life.leaves,
      ...(stop === undefined ? {} : { deletionBudget: stop }),
      approved: (annotations?.[APPROVE] ?? '').split(/[\s,]+/),
    });
  };
  return {
    node,
    observed,
    plan: planWith(asked?.recorded),
    ...(life.againInMs === undefined ? {} : { againInMs: life.againInMs }),
    ...(asked ? { leaving: { recorded: asked.recorded, seenAt: clock.now(), planWith } } : {}),
    ...(cidrs ? { cidrs } : {}),
  };
}

async function intentFor(
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
