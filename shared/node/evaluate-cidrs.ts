/** Which CIDRs a Node gets, and what of the claims does not fit it. */
import { nodeCidrs, staleClaims, unclaimedCidrs } from './desired/node-cidrs.ts';
import type { CidrPool, DesiredCidrs } from './desired/node-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import { hasTaint, UNINITIALIZED_TAINT } from '../model/node/node.ts';
import type { CidrClaim } from '../model/node/node-records.ts';
import type { DesiredResource } from '../model/resources.ts';
import type { World } from '../ports.ts';

export interface CidrReading {
  readonly claims: () => Promise<readonly CidrClaim[]>;
  /** What is free beside these claims; not asked where a Node has its CIDRs. */
  readonly pool: (claims: readonly CidrClaim[]) => Promise<CidrPool>;
}

export interface CidrsEvaluation extends DesiredCidrs {
  /** The Node's claims. */
  readonly own: readonly string[];
  /** What it has, and nobody has claimed. */
  readonly unclaimed: readonly string[];
  /** Claims in its name seem to be of no use any more. */
  readonly isStale: boolean;
  /** The same as it is then. */
  readonly again: () => Promise<CidrsEvaluation>;
}

/** A Node gets its CIDRs in the PATCH that initialises it, so that as long as it waits for that it waits for them. */
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

/** Kubernetes lets them be set once. */
export function needsCidrs({ spec, metadata }: Node): boolean {
  return (spec?.podCIDRs ?? []).length === 0 && metadata.deletionTimestamp === undefined;
}
