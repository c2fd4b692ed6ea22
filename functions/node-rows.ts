import type { Node } from '../shared/model/kubernetes.ts';
import { hasTaint, SERVER_GONE, UNINITIALIZED_TAINT } from '../shared/model/node/node.ts';
import { readyCondition } from '../shared/report/condition.ts';
import { parseProviderID } from '../shared/model/node/provider-id.ts';
import type { Key } from '../shared/model/request.ts';
import { NODE_BLOCKED } from '../shared/node/report/report-node.ts';
import type { StatusRow } from '../shared/report/page.ts';
import { rowFromReport, type LastReport } from './status-rows.ts';

/**
 * One row for each Node that waits, or has something wrong with it: as its last look left it, or, when this process has not
 * looked, as the Node says itself. Nodes that are as their servers say are many and have no row.
 */
export function nodeRows(
  nodes: readonly Node[],
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  return nodes
    .map((node): StatusRow => {
      const object = `node/${node.metadata.name}` as const;
      const last = reports.get(object);
      return { ...rowFromNode(object, node), ...(last && isEvaluation(last) ? rowFromReport(last) : {}) };
    })
    .filter(({ state }) => state !== 'settled');
}

/** The routes have nothing of their own that could tell of them: only a run does. */
export function routesRow(reports: ReadonlyMap<Key, LastReport>): readonly StatusRow[] {
  const last = reports.get('routes');
  if (!last || last.report.outcome.status === 'settled') return [];
  return [{ object: 'routes', ...rowFromReport(last) }];
}

/** Most events about a Node are not looked into; such a run knows nothing of it. */
function isEvaluation({ report }: LastReport): boolean {
  return report.plan !== undefined || report.outcome.status !== 'settled';
}

function rowFromNode(object: Key, node: Node): StatusRow {
  const addresses = (node.status?.addresses ?? []).filter(({ type }) => type.endsWith('IP'));
  const serverId = parseProviderID(node.spec?.providerID ?? '')?.serverId;
  return {
    object,
    ...stateOf(node),
    ...(serverId === undefined ? {} : { serverId }),
    ...(addresses.length > 0 ? { address: addresses.map(({ address }) => address).join(', ') } : {}),
    planSteps: 0,
  };
}

function stateOf(node: Node): Pick<StatusRow, 'state' | 'reason'> {
  const condition = readyCondition(node.status?.conditions);
  if (condition?.status === 'False')
    return { state: condition.reason === NODE_BLOCKED ? 'blocked' : 'failed', reason: condition.message };
  if (node.metadata.annotations?.[SERVER_GONE] !== undefined)
    return { state: 'progressing', reason: 'its server does not exist; levelset looks for it once more' };
  if (hasTaint(node, UNINITIALIZED_TAINT)) return { state: 'progressing', reason: 'waits to be initialised' };
  return { state: 'settled', reason: '' };
}
