import { boundsOf } from '../../model/network/cidr.ts';
import { familyOf } from '../../model/network/network-facts.ts';

interface Held {
  readonly first: bigint;
  readonly last: bigint;
  readonly holder: string;
}

/** The podCIDRs that have a Node. A podCIDR that overlaps another Node's gets no route. */
export class HeldCidrs {
  /** By IP family; sorted, and without overlaps. */
  readonly #held: Record<4 | 6, Held[]> = { 4: [], 6: [] };

  /**
   * Gives the CIDR to the Node, unless another Node holds a range that overlaps it. Returns the name of who holds it
   * then. The CIDR is spelled as `cidrKey` spells it.
   */
  take(cidr: string, node: string): string {
    const held = this.#held[familyOf(cidr)];
    const [first, last] = boundsOf(cidr);
    const from = firstEndingAt(held, first);
    let end = from;
    while ((held[end]?.first ?? last + 1n) <= last) end += 1;
    const overlapping = held.slice(from, end);
    const other = overlapping.find(({ holder }) => holder !== node);
    if (other) return other.holder;
    const least = overlapping[0]?.first ?? first;
    const most = overlapping.at(-1)?.last ?? last;
    const union = { first: least < first ? least : first, last: most > last ? most : last, holder: node };
    held.splice(from, end - from, union);
    return node;
  }
}

/** The index of the first range that ends at this address or after it. */
function firstEndingAt(held: readonly Held[], address: bigint): number {
  let [low, high] = [0, held.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((held[middle]?.last ?? address) < address) low = middle + 1;
    else high = middle;
  }
  return low;
}
