import type { PlannedDeletion } from '../apply/reserve-deletion.ts';
import { desireNode, nodeLife, type NodeLife } from './desired/desire-node.ts';
import { observeServer, type ObservedServer, type ServerReading } from './observe-server.ts';
import type { Node } from '../model/kubernetes.ts';
import {
  hasTaint,
  nodeAt,
  observedNode,
  readyStatus,
  SERVER_GONE,
  SHUTDOWN_TAINT,
  UNINITIALIZED_TAINT,
} from '../model/node/node.ts';
import type { RecordedDeletions } from '../model/records.ts';
import { approvalsIn } from '../model/ownership.ts';
import type { Plan, Problem } from '../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../model/resources.ts';
import { planNode, reasonToKeep } from './plan/plan-node.ts';
import type { World } from '../ports.ts';

export interface NodeComparison {
  readonly node: Node;
  readonly observed: readonly ObservedResource[];
  readonly plan: Plan;
  /** The server does not exist. levelset looks for it once more after this time. */
  readonly againInMs?: number;
  /** The server is gone for good, and this comparison may delete the Node. */
  readonly leaving?: PlannedDeletion;
}

export async function compareNode(
  node: Node,
  reading: ServerReading,
  { config, clock }: Pick<World, 'config' | 'clock'>,
): Promise<NodeComparison> {
  const server = await observeServer(node, reading, config);

  const { life, resources, problems } = desire(node, server, config, clock.now());

  // what all Nodes share is asked for only when this Node needs it
  const deletions = life.leaves ? await reading.deletions?.() : undefined;

  const { name, uid, annotations } = node.metadata;
  const observed = observedNode(node);
  const planWith = (recorded?: RecordedDeletions): Plan => {
    const { deletionPercent: percent } = config;
    const stop =
      deletions &&
      recorded &&
      reasonToKeep({ ...deletions, ...recorded, id: uid, percent, now: clock.now() });
    return planNode({
      name,
      desired: withLife(name, resources, life),
      observed,
      problems: [...server.problems, ...problems],
      leaves: life.leaves,
      ...(stop === undefined ? {} : { reasonToKeep: stop }),
      approved: approvalsIn(annotations),
    });
  };
  return {
    node,
    observed,
    plan: planWith(deletions?.recorded),
    ...(life.againInMs === undefined ? {} : { againInMs: life.againInMs }),
    ...(deletions
      ? { leaving: { ...deletions, id: uid, what: `Node ${name}`, seenAt: clock.now(), planWith } }
      : {}),
  };
}

interface Desired {
  readonly life: NodeLife;
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

function desire(node: Node, observed: ObservedServer, config: World['config'], now: number): Desired {
  const { server, place, ports, subports } = observed;
  const { controllers } = config;
  const life = nodeLife({
    node,
    server: controllers.includes('cloud-node-lifecycle-controller') ? server : 'unmanaged',
    place,
    now,
  });
  return typeof server === 'object' && controllers.includes('cloud-node-controller')
    ? { life, ...desireNode({ node, server, ports, subports, config }) }
    : { life, resources: [], problems: [] };
}

/** One PATCH has all of it: taints and notes follow from the Node's life, the taint `uninitialized` from its initialisation. */
function withLife(
  name: string,
  resources: readonly DesiredResource[],
  { taints, annotations }: NodeLife,
): readonly DesiredResource[] {
  const object = resources.find(({ kind }) => kind === 'node') as DesiredResource<'node'> | undefined;
  const begins = object?.attributes.taints !== undefined;
  const kept = begins ? taints.filter(({ key }) => key !== UNINITIALIZED_TAINT) : taints;
  const attributes = { ...object?.attributes, taints: kept, annotations };
  const merged = { kind: 'node', address: nodeAt(name), attributes, ifPresent: true } as const;
  return [...resources.filter((one) => one !== object), merged];
}

/** Whether nothing of the Node waits for its server. The sweep compares such a Node with its server. */
export function isAtWork(node: Node): boolean {
  const isMarked =
    hasTaint(node, UNINITIALIZED_TAINT) ||
    hasTaint(node, SHUTDOWN_TAINT) ||
    node.metadata.annotations?.[SERVER_GONE];
  return !isMarked && readyStatus(node) === 'True';
}
