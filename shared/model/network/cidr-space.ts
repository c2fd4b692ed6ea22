import { boundsOf, cidrAt, parseCidr } from './cidr.ts';

/**
 * The lowest CIDR of this prefix length in the range that overlaps none of the taken ones; undefined: there is none. Goes from
 * one taken CIDR to the next, so that the size of the range does not matter. What is no CIDR takes nothing.
 */
export function lowestFree(range: string, length: number, taken: readonly string[]): string | undefined {
  const family = parseCidr(range)?.family;
  if (family === undefined) return undefined;
  const [first, last] = boundsOf(range);
  const size = 1n << BigInt((family === 4 ? 32 : 128) - length);
  const ofFamily = taken.filter((text) => text.includes(':') === (family === 6));
  const blocks = [...new Set(ofFamily)]
    .flatMap((text) => parseCidr(text) ?? [])
    .map(({ text }) => boundsOf(text))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  let at = first;
  for (const [from, to] of blocks) {
    if (to < at) continue;
    if (from >= at + size) break;
    at = (to / size + 1n) * size;
  }
  return at + size - 1n <= last ? cidrAt(at, length, family) : undefined;
}

/** Whether the two have an address in common. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)];
  if (!a || a.family !== b?.family) return false;
  const [[from, to], [start, end]] = [boundsOf(a.text), boundsOf(b.text)];
  return from <= end && start <= to;
}

/** How many CIDRs of this prefix length the range has, such as `256`. */
export function countIn(range: string, length: number): string {
  return (1n << BigInt(length - Number(range.split('/')[1]))).toString();
}
