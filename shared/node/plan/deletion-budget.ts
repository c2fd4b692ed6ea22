import type { NodeDeletion } from '../../model/node/node-records.ts';
import { recent } from '../../model/node/node-records.ts';

export interface DeletionBudgetInput {
  readonly uid: string;
  /** UIDs of all Nodes that are there, or were a moment ago; those that were deleted lately count, too. */
  readonly nodes: readonly string[];
  /** UIDs of Nodes whose server Nova lists just now. */
  readonly withServer: readonly string[];
  readonly deletions: readonly NodeDeletion[];
  /** Of all Nodes within an hour, at least one; 0: none ever. */
  readonly percent: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Why a Node is not deleted although its server is gone; undefined: it may go. Credentials of another project, or a Nova that
 * lost its cells, make every server look gone, so one Node's server at least must be seen where this one's is missed.
 */
export function deletionBudget({
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
  // Nodes that have just gone may be in the list that was made before
  const all = new Set([...nodes, ...gone]).size;
  const most = Math.max(1, Math.floor((all * percent) / 100));
  if (gone.length < most) return undefined;
  const those = gone.length === 1 ? '1 Node was' : `${gone.length} Nodes were`;
  return `${those} deleted within the last hour, and --node-deletion-share=${percent}% allows ${most} of ${all}`;
}
