/** Between the plan of a Node and its execution: nobody gets a CIDR that is not claimed. */
import { staleClaims } from './desired/node-cidrs.ts';
import type { CidrsEvaluation } from './evaluate-cidrs.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Node } from '../model/kubernetes.ts';
import { oneByOne } from './one-by-one.ts';
import type { Kube, World } from '../ports.ts';

/** Others that allocate at the same moment take one each. */
const MOST_TRIES = 20;

/**
 * Claims what the look wishes for and answers what was got: where others were faster, that of another look. Who dies before
 * the Node is patched has claimed in its name, and whoever looks at it next finds that.
 */
export function claimCidrs(
  node: Node,
  evaluation: CidrsEvaluation,
  world: World,
): Promise<readonly string[]> {
  const { kube } = world;
  return oneByOne('cidrs', world, async () => {
    let wanted = evaluation;
    for (let tries = 0; tries < MOST_TRIES && wanted.podCIDRs; tries += 1) {
      if (await claimAll(node, wanted.podCIDRs, wanted.own, kube)) return wanted.podCIDRs;
      wanted = await wanted.again();
    }
    const { name } = node.metadata;
    throw new ReconcileError(
      'CHANGED_MEANWHILE',
      `other processes took the CIDRs that were free for Node ${name}`,
    );
  });
}

/** False where one of them is another Node's. */
async function claimAll(
  node: Node,
  cidrs: readonly string[],
  own: readonly string[],
  kube: Kube,
): Promise<boolean> {
  for (const cidr of cidrs) if (!own.includes(cidr) && !(await kube.cidrs.claim(cidr, node))) return false;
  return true;
}

/**
 * Answers how many there were. The apiserver is asked for the Node after the claims were listed, so that none is of one that has
 * just come.
 */
export async function releaseStaleClaims(name: string, kube: Kube): Promise<number> {
  const claims = (await kube.cidrs.list()).filter((claim) => claim.node === name);
  if (claims.length === 0) return 0;
  const stale = staleClaims(name, await kube.getNode(name), claims);
  for (const claim of stale) await kube.cidrs.release(claim);
  return stale.length;
}
