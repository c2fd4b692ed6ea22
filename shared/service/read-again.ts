/**
 * Reads Kubernetes again under the lease: what a run read before it had its lease may be out of date. The lease keeps
 * other processes from writing to OpenStack, but nobody from editing the Service.
 */
import { listNodesLately } from '../memory/listed-nodes.ts';
import { fingerprint } from '../model/json.ts';
import { onceFor } from '../model/once-for.ts';
import type { Node } from '../model/kubernetes.ts';
import { fingerprintOf } from '../model/node/node.ts';
import type { Unit } from '../model/unit.ts';
import type { World } from '../ports.ts';
import type { Evaluation } from './evaluate.ts';
import { observeEndpoints } from './observe/endpoints.ts';
import { unitOf } from './unit.ts';

/** The Nodes that count for the unit; none if the Service wants no load balancer. */
export function nodesOf({ wanted }: Unit, world: World): Promise<readonly Node[]> {
  return wanted ? listNodesLately(world) : Promise.resolve([]);
}

/** The unit with its Service as it is now, read by one GET. */
export async function readUnitAgain(unit: Unit, { kube, config }: World): Promise<Unit> {
  const { key, name } = unit;
  const service = await kube.getService(name.namespace, name.name);
  const { withLeftovers } = unit;
  return { ...unitOf(key, name, service, config), ...(withLeftovers ? { withLeftovers } : {}) };
}

/**
 * Whether Service, endpoints and Nodes are still those on which the evaluation rests. `now` is the unit as it is now.
 */
export async function isUpToDate(evaluation: Evaluation, now: Unit, world: World): Promise<boolean> {
  if (versionOf(evaluation.unit) !== versionOf(now)) return false;
  if (!now.service || !now.wanted) return true;
  const { localNodes, endpoints } = evaluation.observed;
  const [nodes, behind] = await Promise.all([
    nodesOf(now, world),
    observeEndpoints(now.service, world, evaluation.isOfNode),
  ]);
  return isAlike({ localNodes, endpoints }, behind) && areAlike(evaluation.nodes, nodes);
}

/** A text that differs between a Service and its namesake (UID), and between two states of one Service (version). */
function versionOf({ service }: Unit): string | undefined {
  return service && `${service.metadata.uid}/${service.metadata.resourceVersion}`;
}

function areAlike(before: readonly Node[], now: readonly Node[]): boolean {
  return before === now || whatCountsOf(before) === whatCountsOf(now);
}

const whatCountsOf = onceFor(fingerprintOf);

function isAlike(one: unknown, other: unknown): boolean {
  return fingerprint(one) === fingerprint(other);
}
