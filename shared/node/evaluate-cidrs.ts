/** The CIDRs that a Node gets, and the claims that do not fit it. */
import { nodeCidrs, staleClaims, unclaimedCidrs, freeCidrs } from './desired/node-cidrs.ts';
import type { CidrPool, DesiredCidrs } from './desired/node-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import { hasTaint, UNINITIALIZED_TAINT } from '../model/node/node.ts';
import type { CidrClaim } from '../model/node/node-records.ts';
import type { DesiredResource } from '../model/resources.ts';
import type { World } from '../ports.ts';
import { lazily, once } from '../memory/answers.ts';

export interface CidrReading {
  readonly claims: () => Promise<readonly CidrClaim[]>;
  /** The CIDRs that are free beside these claims. Not asked for a Node that has its CIDRs. */
  readonly pool: (claims: readonly CidrClaim[]) => Promise<CidrPool>;
}

export interface CidrsEvaluation extends DesiredCidrs {
  /** The CIDRs that are claimed for this Node. */
  readonly own: readonly string[];
  /** The CIDRs that the Node has without a claim. */
  readonly unclaimed: readonly string[];
  /** Some claims in the Node's name seem to be of no use. */
  readonly isStale: boolean;
  /** The same evaluation with the claims read again. */
  readonly again: () => Promise<CidrsEvaluation>;
}

/**
 * The CIDRs of a Node, if levelset gives them out. The PATCH that initialises a Node sets its CIDRs, too, so a Node
 * that waits for initialisation waits for its CIDRs.
 */
export async function evaluateCidrs(
  node: Node,
  desired: readonly DesiredResource[],
  reading: CidrReading | undefined,
  { nodeCidrs: config, controllers }: World['config'],
): Promise<CidrsEvaluation | undefined> {
  if (!reading || !config) return undefined;
  const begins = desired.some(({ kind, attributes }) => kind === 'node' && 'taints' in attributes);
  const waits =
    hasTaint(node, UNINITIALIZED_TAINT) && controllers.includes('cloud-node-controller') && !begins;
  const evaluation = async (): Promise<CidrsEvaluation> => {
    const claims = await reading.claims();
    const desired =
      waits || !needsCidrs(node)
        ? { problems: [] }
        : nodeCidrs(node, claims, await reading.pool(claims), config);
    const { name, uid } = node.metadata;
    return {
      ...desired,
      own: claims.filter((claim) => claim.uid === uid).map(({ cidr }) => cidr),
      unclaimed: unclaimedCidrs(node, claims, config),
      isStale: staleClaims(name, node, claims).length > 0,
      again: evaluation,
    };
  };
  return evaluation();
}

/** Whether the Node needs CIDRs. Kubernetes lets them be set only once. */
export function needsCidrs({ spec, metadata }: Node): boolean {
  return (spec?.podCIDRs ?? []).length === 0 && metadata.deletionTimestamp === undefined;
}

interface MayReadCidrs {
  readonly cidrs?: CidrReading;
}

/** Reads for one Node: the claims each time, and the other Nodes once, since their CIDRs do not change. */
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

/** Reads for a sweep, once for all Nodes. Which Node gets a free CIDR is decided later by its claim. */
export function readCidrsInBulk(
  nodes: readonly Node[],
  { kube, config: { nodeCidrs } }: World,
): MayReadCidrs {
  if (!nodeCidrs) return {};
  const claims = lazily(() => kube.cidrs.list());
  const pool = lazily(async () => freeCidrs(nodes, await claims(), nodeCidrs));
  return { cidrs: { claims, pool } };
}
