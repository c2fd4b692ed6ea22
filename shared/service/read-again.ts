/**
 * What a run read of Kubernetes before it had its lease may be out of date. The lease keeps other processes from writing, and
 * nobody from editing the Service.
 */
import { listNodesLately } from '../memory/listed-nodes.ts';
import { fingerprint } from '../model/json.ts';
import type { Node } from '../model/kubernetes.ts';
import type { Unit } from '../model/unit.ts';
import type { World } from '../ports.ts';
import type { Evaluation } from './evaluate.ts';
import { observeEndpoints } from './observe/endpoints.ts';
import { unitOf } from './unit.ts';

/** The Nodes that count for the unit: none where nothing is wanted. */
export function nodesOf({ wanted }: Unit, world: World): Promise<readonly Node[]> {
  return wanted ? listNodesLately(world) : Promise.resolve([]);
}

/** The unit with its Service as it is now, for one GET. */
export async function readUnitAgain({ key, name }: Unit, { kube, config }: World): Promise<Unit> {
  return unitOf(key, name, await kube.getService(name.namespace, name.name), config);
}

/** Whether Kubernetes still says what the evaluation rests on. `now` is its unit as it is now. */
export async function isUpToDate(evaluation: Evaluation, now: Unit, world: World): Promise<boolean> {
  if (versionOf(evaluation.unit) !== versionOf(now)) return false;
  if (!now.service || !now.wanted) return true;
  const { localNodes, endpoints } = evaluation.observed;
  const [nodes, behind] = await Promise.all([nodesOf(now, world), observeEndpoints(now.service, world.kube)]);
  return isAlike({ localNodes, endpoints }, behind) && areAlike(evaluation.nodes, nodes);
}

/** UIDs differ between a Service and its namesake, versions between two states of one. */
function versionOf({ service }: Unit): string | undefined {
  return service && `${service.metadata.uid}/${service.metadata.resourceVersion}`;
}

function areAlike(before: readonly Node[], now: readonly Node[]): boolean {
  return before === now || isAlike(before.map(whatCounts), now.map(whatCounts));
}

/** What a load balancer may depend on. A Node's heartbeats and what runs on it are no reason to evaluate again. */
function whatCounts({ metadata, spec, status }: Node): unknown {
  const { uid, labels, annotations, deletionTimestamp } = metadata;
  const conditions = status?.conditions?.map(({ type, status: is }) => [type, is]);
  return [uid, labels, annotations, deletionTimestamp, spec, status?.addresses, conditions];
}

function isAlike(one: unknown, other: unknown): boolean {
  return fingerprint(one) === fingerprint(other);
}
