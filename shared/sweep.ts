/**
 * A sweep reads everything in bulk and queues the keys that need work. It changes nothing in OpenStack; in Kubernetes
 * it removes settled records of Services that are gone, unless the scope says `readOnly`.
 */
import { asReconcileError, isError, type ReconcileError } from './model/errors.ts';
import { CONTROLLERS, type Controller } from './controllers.ts';
import { keepCluster, requireCluster, worldDuring } from './begin-run.ts';
import { lazily } from './memory/answers.ts';
import { listNodesNow, attempt } from './observe/reads.ts';
import { isEverything, requestOf, type ReconcileRequest, type SweepScope } from './model/request.ts';
import { NOTHING_FOUND, type Found, type SweepFigures } from './model/outcome.ts';
import type { Budget, World } from './ports.ts';
import { NO_RUN } from './deadline.ts';

export interface Sweep extends SweepFigures {
  readonly requests: readonly ReconcileRequest[];
  readonly warnings: readonly string[];
  /** Something could not be read or compared. The warnings say what. */
  readonly incomplete: boolean;
  /** The reason why a controller found out nothing. What the others found is in `requests` all the same. */
  readonly failed?: string;
  /** The longest wait that the answers of what failed asked for (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Never throws. A controller that fails takes nothing along of what the others find. Without a budget there is no end. */
export function sweep(world: World, scope: SweepScope = {}, budget: Budget = NO_RUN): Promise<Sweep> {
  const remainingMs = (): number => budget.remainingMs();
  return findAll(worldDuring(world, { ...NO_RUN, remainingMs, priority: 'sweep' }), scope);
}

async function findAll(world: World, scope: SweepScope): Promise<Sweep> {
  const controllers = CONTROLLERS.filter(({ looksAfter }) => looksAfter(world.config));
  const hold = isEverything(scope) ? keepCluster : requireCluster;
  const held = scope.readOnly ? undefined : await attempt(hold(world));
  const nodes = lazily(() => listNodesNow(world));
  const found: readonly FoundBy[] = isError(held)
    ? [{ ...NOTHING_FOUND, error: held }]
    : await Promise.all(controllers.map((controller) => findBy(controller, nodes, world, scope)));
  const errors = found.flatMap(({ error }) => error ?? []);
  const reasons = new Set(errors.map(({ message }) => message));
  return {
    ...found.reduce<SweepFigures>((figures, { figures: own }) => ({ ...figures, ...own }), NOTHING),
    requests: found.flatMap(({ keys }) => keys).map((key) => requestOf(world, { key, trigger: 'sweep' })),
    warnings: found.flatMap(({ warnings }) => warnings),
    incomplete: errors.length > 0 || found.some(({ incomplete }) => incomplete === true),
    ...(errors.length > 0 && {
      failed: [...reasons].join('; '),
      retryAfterMs: Math.max(0, ...errors.flatMap(({ context }) => context.retryAfterMs ?? [])),
    }),
  };
}

interface FoundBy extends Found {
  readonly error?: ReconcileError;
}

async function findBy(
  controller: Controller,
  ...[nodes, world, scope]: Parameters<Controller['find']>
): Promise<FoundBy> {
  try {
    return await controller.find(nodes, world, scope);
  } catch (error) {
    return { ...NOTHING_FOUND, error: asReconcileError(error) };
  }
}

const NOTHING: SweepFigures = {
  services: 0,
  released: 0,
  settled: 0,
  comparedInFull: 0,
  awaitingApproval: 0,
  nodesWithoutAddress: [],
  changed: [],
  certificates: new Map(),
  nodes: 0,
  nodesSettled: 0,
  nodesCompared: 0,
};
