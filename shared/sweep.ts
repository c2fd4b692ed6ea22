/**
 * Everything at once, in bulk, to find what needs work. Reads only: what it finds goes through reconcile like any other
 * key, and is read afresh there before anything is changed.
 */
import { isEverything } from './model/request.ts';
import type { ReconcileRequest, SweepScope } from './model/request.ts';
import type { World } from './ports.ts';
import { findNodes, NO_NODES } from './node/sweep.ts';
import type { NodesFound } from './node/sweep.ts';
import { findRoutes } from './routes/sweep.ts';
import { findServices, NO_SERVICES } from './service/sweep.ts';
import type { ServicesFound } from './service/sweep.ts';
import { looksAfterNodes, looksAfterRoutes, looksAfterServices } from './config/looks-after.ts';

export interface Sweep extends Omit<ServicesFound & NodesFound, 'keys'> {
  /** Only what needs work. */
  readonly requests: readonly ReconcileRequest[];
  /** Why nothing could be found out; then nothing is done either. */
  readonly failed?: string;
}

export async function sweep(world: World, scope: SweepScope = {}): Promise<Sweep> {
  try {
    return await find(world, scope);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { ...NOTHING, requests: [], failed };
  }
}

async function find(world: World, scope: SweepScope): Promise<Sweep> {
  const forNodes = isEverything(scope) && looksAfterNodes(world.config);
  const forRoutes = isEverything(scope) && looksAfterRoutes(world.config);
  if (!forNodes && !forRoutes && !looksAfterServices(world.config)) return { ...NOTHING, requests: [] };
  const nodesListed = world.kube.listNodes();
  const [{ keys, ...found }, nodes, routes] = await Promise.all([
    findServices(nodesListed, world, scope),
    forNodes ? nodesListed.then((nodes) => findNodes(nodes, world)) : NO_NODES,
    forRoutes ? findRoutes(world) : { keys: [], warnings: [] },
  ]);
  return {
    ...found,
    nodes: nodes.nodes,
    nodesSettled: nodes.nodesSettled,
    // a Node first: what its servers' addresses are is for the members of load balancers to follow
    requests: [...nodes.keys, ...routes.keys, ...keys].map((key) => ({ key, trigger: 'sweep' })),
    warnings: [...found.warnings, ...nodes.warnings, ...routes.warnings],
  };
}

const NOTHING = { ...NO_SERVICES, ...NO_NODES };
