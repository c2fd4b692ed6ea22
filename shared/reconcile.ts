import type { Report } from './model/outcome.ts';
import type { ReconcileRequest } from './model/request.ts';
import type { Budget, World } from './ports.ts';

export type Reconcile = (request: ReconcileRequest, world: World, budget: Budget) => Promise<Report>;
