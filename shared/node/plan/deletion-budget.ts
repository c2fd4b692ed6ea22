import { overBudget } from '../../plan/deletion-budget.ts';
import type { DeletionBudget } from '../../plan/deletion-budget.ts';

export interface NodeDeletionBudget extends DeletionBudget {
  /** UIDs of the Nodes whose server Nova lists. */
  readonly withServer: readonly string[];
}

/**
 * The reason why a Node is not deleted although its server is gone. Undefined: it may be deleted. With credentials of
 * another project, or a Nova that lost its cells, every server looks gone. So Nova must list the server of at least
 * one Node.
 */
export function reasonToKeep({ withServer, ...budget }: NodeDeletionBudget): string | undefined {
  if (withServer.includes(budget.id)) return 'Nova lists its server, although it answered 404 for it';
  if (withServer.length === 0 && budget.percent > 0)
    return 'Nova lists no server of any Node of this cluster; levelset may be asking in the wrong project or region';
  return overBudget(budget, 'Node');
}
