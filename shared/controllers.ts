/**
 * The controllers, in the order in which a sweep queues what they found: a Node first, since the members of load
 * balancers follow its addresses. Another controller is a folder like theirs and one line here (docs/design.md, "A
 * fourth controller").
 */
import { type Config, looksAfterNodes, looksAfterRoutes, looksAfterServices } from './config/config.ts';
import type { Node } from './model/kubernetes.ts';
import type { Run, Found } from './model/outcome.ts';
import {
  asNodeKey,
  asServiceKey,
  type Key,
  type ReconcileRequest,
  type SweepScope,
} from './model/request.ts';
import { reconcileNode } from './node/reconcile.ts';
import { findNodes } from './node/sweep.ts';
import type { Budget, World } from './ports.ts';
import { reconcileRoutes } from './routes/reconcile.ts';
import { findRoutes } from './routes/sweep.ts';
import { reconcileService } from './service/reconcile.ts';
import { findServices } from './service/sweep.ts';

export interface Controller {
  readonly owns: (key: Key) => boolean;
  /** Whether the configuration switches the controller on. Switched off, it changes nothing that exists. */
  readonly looksAfter: (config: Config) => boolean;
  /** Runs one key once, and reads everything afresh. Throws a ReconcileError if it fails. */
  readonly reconcile: (request: ReconcileRequest, world: World, budget: Budget) => Promise<Run>;
  /** The controller's part of a sweep. `nodes` is one list for all controllers, read when the first one asks. */
  readonly find: (nodes: () => Promise<readonly Node[]>, world: World, scope: SweepScope) => Promise<Found>;
}

// prettier-ignore
export const CONTROLLERS: readonly Controller[] = [
  { owns: (key) => asNodeKey(key) !== undefined,    looksAfter: looksAfterNodes,    reconcile: reconcileNode,    find: findNodes },
  { owns: (key) => key === 'routes',                looksAfter: looksAfterRoutes,   reconcile: reconcileRoutes,  find: findRoutes },
  { owns: (key) => asServiceKey(key) !== undefined, looksAfter: looksAfterServices, reconcile: reconcileService, find: findServices },
];
