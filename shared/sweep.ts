/**
 * A sweep reads everything in bulk and queues the keys that need work. It changes and deletes nothing in OpenStack: `reconcile`
 * runs each key, reads afresh, and deletes what the Service of the key no longer wants, or had when it was there (service/orphans.ts).
 * In Kubernetes the sweep removes Leases and watermarks of Services that are gone, unless the scope says `readOnly`.
 */
import { CONTROLLERS } from './controllers.ts';
import type { ReconcileRequest, SweepScope } from './model/request.ts';
import type { SweepFigures } from './model/outcome.ts';
import type { World } from './ports.ts';

export interface Sweep extends SweepFigures {
  /** The keys that need work. */
  readonly requests: readonly ReconcileRequest[];
  readonly warnings: readonly string[];
  /** The reason why the sweep found out nothing. Nothing is queued then. */
  readonly failed?: string;
}

export async function sweep(world: World, scope: SweepScope = {}): Promise<Sweep> {
  try {
    return await find(world, scope);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { ...NOTHING, failed };
  }
}

async function find(world: World, scope: SweepScope): Promise<Sweep> {
  const controllers = CONTROLLERS.filter(({ looksAfter }) => looksAfter(world.config));
  if (controllers.length === 0) return NOTHING;
  const nodes = world.kube.listNodes();
  const found = await Promise.all(controllers.map((controller) => controller.find(nodes, world, scope)));
  return {
    ...found.reduce<SweepFigures>((figures, { figures: own }) => ({ ...figures, ...own }), NOTHING),
    requests: found.flatMap(({ keys }) => keys).map((key) => ({ key, trigger: 'sweep' })),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

const NOTHING: Sweep = {
  requests: [],
  warnings: [],
  services: 0,
  settled: 0,
  awaitingApproval: 0,
  loadBalancersByState: {},
  nodesWithoutAddress: [],
  certificates: new Map(),
  nodes: 0,
  nodesSettled: 0,
};
