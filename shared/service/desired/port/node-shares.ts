/** What a Service asks for single nodes: how much of the traffic they get, and when. */
import type { Problem } from '../../../model/plan.ts';
import type { ReachableNode } from '../../../model/node/node-set.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';

export interface NodeShares {
  /** By name of the node; of others it is nobody's wish. */
  readonly weights: ReadonlyMap<string, number>;
  /** Names of the nodes that get traffic only while no other can. */
  readonly backups: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * With externalTrafficPolicy Local the nodes without a ready endpoint stay members, as backups: no traffic goes to them
 * while a node with one is up, and it goes where the Pods went before we know it. Without any endpoint all are alike.
 * Nodes that the Service names are backups too, as long as that leaves one that is none.
 */
export function nodeShares(
  { ServicePort, spelled }: PortIntent,
  nodes: readonly ReachableNode[],
  localNodes: readonly string[] = [],
): NodeShares {
  const { memberWeights: weights = {}, backupMembers: named = [] } = ServicePort;
  const names = [...new Set(nodes.map(({ name }) => name))];
  const remote = localNodes.length > 0 ? names.filter((name) => !localNodes.includes(name)) : [];
  const both = names.filter((name) => remote.includes(name) || named.includes(name));
  const unknown = (
    setting: 'memberWeights' | 'backupMembers',
    portIntent: readonly string[],
  ): readonly Problem[] => {
    const field = spelled[`ServicePort.${setting}`]?.name ?? setting;
    const missing = portIntent.filter((name) => !names.includes(name));
    return missing.map((value) => ({ field, value, message: 'is no node that is a member here' }));
  };
  return {
    weights: new Map(Object.entries(weights)),
    backups: both.length < names.length ? both : remote,
    problems: [...unknown('memberWeights', Object.keys(weights)), ...unknown('backupMembers', named)],
  };
}
