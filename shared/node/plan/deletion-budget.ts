import type { NodeDeletion } from '../../model/node/node-records.ts';
import { recent } from '../../model/node/node-records.ts';

export interface DeletionBudgetInput {
  readonly uid: string;
  /** UIDs of all Nodes, or of those that existed a moment ago. Nodes that were deleted lately count, too. */
  readonly nodes: readonly string[];
  /** UIDs of the Nodes whose server Nova lists. */
  readonly withServer: readonly string[];
  readonly deletions: readonly NodeDeletion[];
  /** The share of all Nodes that may be deleted within an hour, and at least one Node. 0 allows none. */
  readonly percent: number;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/**
 * The reason why a Node is not deleted although its server is gone. Undefined: it may be deleted. With credentials of
 * another project, or a Nova that lost its cells, every server looks gone. So Nova must list the server of at least
 * one Node.
 */
export function reasonToKeep({
  uid,
  nodes,
  withServer,
  deletions,
  percent,
  now,
}: DeletionBudgetInput): string | undefined {
  if (percent === 0) return '--node-deletion-share=0% allows no deletion';
  if (withServer.includes(uid)) return 'Nova lists its server, although it answered 404 for it';
  if (withServer.length === 0)
    return 'Nova lists no server of any Node of this cluster; levelset may be asking in the wrong project or region';
  const gone = recent(deletions, now).flatMap((one) => (one.uid === uid ? [] : one.uid));
  // Nodes that have just been deleted may be in a list that was made before
  const all = new Set([...nodes, ...gone]).size;
  const most = Math.max(1, Math.floor((all * percent) / 100));
  if (gone.length < most) return undefined;
  const those = gone.length === 1 ? '1 Node was' : `${gone.length} Nodes were`;
  return `${those} deleted within the last hour, and --node-deletion-share=${percent}% allows ${most} of ${all}`;
}
