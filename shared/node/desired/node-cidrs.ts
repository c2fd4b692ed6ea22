import type { NodeCidrConfig } from '../../config/config.ts';
import { countIn, lowestFree, overlap, parseCidr } from '../../model/network/cidr.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { CidrClaim } from '../../model/node/node-records.ts';
import type { Problem } from '../../model/plan.ts';

/** The Nodes, and the lowest free CIDR of each range. */
export interface CidrPool {
  readonly nodes: readonly Node[];
  readonly free: readonly (string | undefined)[];
}

export interface DesiredCidrs {
  /** One CIDR of each range, in their order. Undefined: the Node gets none now. */
  readonly podCIDRs?: readonly string[];
  readonly problems: readonly Problem[];
}

/** The free CIDRs: in no Node's podCIDRs, not claimed, and outside the addresses of Services. */
export function freeCidrs(
  nodes: readonly Node[],
  claims: readonly CidrClaim[],
  { ranges, serviceCidrs }: NodeCidrConfig,
): CidrPool {
  const taken = [...nodes.flatMap(cidrsOf), ...claims.map(({ cidr }) => cidr), ...serviceCidrs];
  return {
    nodes,
    free: ranges.map(({ clusterCidr, maskSize }) => lowestFree(clusterCidr, maskSize, taken)),
  };
}

/**
 * The CIDRs of a Node without podCIDRs: those that an interrupted run claimed for it, else free ones. Kubernetes lets
 * them be set once and together, so a Node gets none while one range is used up.
 */
export function nodeCidrs(
  node: Node,
  claims: readonly CidrClaim[],
  { nodes, free }: CidrPool,
  { ranges }: NodeCidrConfig,
): DesiredCidrs {
  const isOthers = (cidr: string): boolean =>
    nodes.some((other) => cidrsOf(other).some((one) => overlap(cidr, one)));
  const own = claims
    .filter(({ uid, cidr }) => uid === node.metadata.uid && !isOthers(cidr))
    .map(({ cidr }) => cidr);
  const found = ranges.map((range, index) => own.find((cidr) => isPart(cidr, range)) ?? free[index]);
  const problems = ranges.filter((_, index) => found[index] === undefined).map(usedUp);
  return problems.length > 0 ? { problems } : { podCIDRs: found as readonly string[], problems };
}

/**
 * The podCIDRs of a Node that are in our ranges without a claim, because others gave them or their Leases were
 * deleted.
 */
export function unclaimedCidrs(
  node: Node,
  claims: readonly CidrClaim[],
  { ranges }: NodeCidrConfig,
): readonly string[] {
  const claimed = new Set(claims.map(({ cidr }) => cidr));
  return cidrsOf(node).filter(
    (cidr) => !claimed.has(cidr) && ranges.some(({ clusterCidr }) => overlap(cidr, clusterCidr)),
  );
}

/**
 * Claims in this Node's name that are of no use: the Node is gone, another Node has its name, or it has other
 * podCIDRs. The Node must be read after the claims, since a Node that registers meanwhile may have one already.
 */
export function staleClaims(
  name: string,
  node: Node | undefined,
  claims: readonly CidrClaim[],
): readonly CidrClaim[] {
  const has = node ? cidrsOf(node) : [];
  return claims.filter(
    (claim) =>
      claim.node === name &&
      (claim.uid !== node?.metadata.uid || (has.length > 0 && !has.includes(claim.cidr))),
  );
}

function cidrsOf({ spec }: Node): readonly string[] {
  return (spec?.podCIDRs ?? []).map((cidr) => parseCidr(cidr)?.text ?? cidr);
}

type Range = NodeCidrConfig['ranges'][number];

function isPart(cidr: string, { clusterCidr, maskSize }: Range): boolean {
  return cidr.endsWith(`/${maskSize}`) && overlap(cidr, clusterCidr);
}

function usedUp({ clusterCidr, maskSize }: Range): Problem {
  const count = countIn(clusterCidr, maskSize);
  return {
    field: '--cluster-cidr',
    value: clusterCidr,
    message: `is used up: none of its ${count} CIDRs of size /${maskSize} is free, and this Node waits until another one is deleted`,
  };
}
