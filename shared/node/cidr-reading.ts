/** Where a look at a Node reads which CIDRs are taken. */
import { freeCidrs } from './desired/node-cidrs.ts';
import type { CidrReading } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import { once } from '../memory/answers.ts';
import type { World } from '../ports.ts';

export interface MayReadCidrs {
  readonly cidrs?: CidrReading;
}

/** For one Node: its claims afresh each time, the other Nodes once, since what they have does not change. */
export function readCidrs(
  listNodes: () => Promise<readonly Node[]>,
  { kube, config: { nodeCidrs } }: World,
): MayReadCidrs {
  if (!nodeCidrs) return {};
  const nodes = once(listNodes);
  return {
    cidrs: {
      claims: () => kube.cidrs.list(),
      pool: async (claims) => freeCidrs(await nodes(), claims, nodeCidrs),
    },
  };
}

/** For a sweep: what is free is the same for all of them, and who is first takes it. */
export function readCidrsInBulk(
  nodes: readonly Node[],
  { kube, config: { nodeCidrs } }: World,
): MayReadCidrs {
  if (!nodeCidrs) return {};
  const claims = once(() => kube.cidrs.list());
  const pool = once(async () => freeCidrs(nodes, await claims(), nodeCidrs));
  return { cidrs: { claims, pool } };
}
