import { isIPv4 } from 'node:net';
import { isIP } from 'node:net';

/** A range of IP addresses as Octavia spells it: network address and prefix length, IPv6 in its shortest form. */
export interface Cidr {
  readonly text: string;
  readonly family: 4 | 6;
}

/** The CIDR in a text: `10.0.0.7/8` is `10.0.0.0/8`. Undefined if the text is no CIDR. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...rest] = text.trim().split('/');
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
  const network = mask(toBigInt(address), Number(length), bits);
  return { text: `${toText(network, bits)}/${Number(length)}`, family: family === 4 ? 4 : 6 };
}

/** An IP address as OpenStack prints it: IPv6 in its shortest form. */
export function canonicalAddress(address: string): string {
  const bits = isIP(address) === 4 ? 32 : 128;
  return toText(toBigInt(address), bits);
}

export function cidrContains(cidr: string, address: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(network) !== family) return false;
  const bits = family === 4 ? 32 : 128;
  return mask(toBigInt(address), Number(length), bits) === mask(toBigInt(network), Number(length), bits);
}

/** The first and the last IP address of a CIDR, as numbers. */
export function boundsOf(cidr: string): readonly [first: bigint, last: bigint] {
  const [address = '', length = ''] = cidr.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const first = mask(toBigInt(address), Number(length), bits);
  return [first, first + (1n << BigInt(bits - Number(length))) - 1n];
}

/** The CIDR of this prefix length that begins at an IP address, given as a number. */
export function cidrAt(first: bigint, length: number, family: 4 | 6): string {
  return `${toText(first, family === 4 ? 32 : 128)}/${length}`;
}

/** Orders IP addresses of one family by value. */
export function compareAddresses(a: string, b: string): number {
  const [left, right] = [toBigInt(a), toBigInt(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function mask(value: bigint, length: number, bits: number): bigint {
  const host = BigInt(bits - length);
  return (value >> host) << host;
}

function toBigInt(address: string): bigint {
  if (isIP(address) === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const v4 = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const low = v4 ? toBigInt(v4[2] ?? '') : 0n;
  const text = v4 ? `${v4[1] ?? ''}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}` : address;
  const [head = '', tail] = text.split('%')[0]?.split('::') ?? [];
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function toText(value: bigint, bits: number): string {
  if (bits === 32) {
    return [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 255n).toString()).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/**
 * The lowest CIDR of this prefix length in the range that overlaps no taken one; undefined if there is none. Taken
 * texts that are no CIDRs do not count. The search goes from one taken CIDR to the next, so the size of the range does
 * not matter.
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

/** Whether two CIDRs have an IP address in common. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)];
  if (!a || a.family !== b?.family) return false;
  const [[from, to], [start, end]] = [boundsOf(a.text), boundsOf(b.text)];
  return from <= end && start <= to;
}

/** The number of CIDRs of this prefix length in the range, such as `256`. */
export function countIn(range: string, length: number): string {
  return (1n << BigInt(length - Number(range.split('/')[1]))).toString();
}

/**
 * One spelling for a CIDR or IP address. An IP address becomes a CIDR of itself alone. A text that is neither stays as
 * it is.
 */
export function cidrKey(text: string): string {
  if (isIPv4(text)) return `${text}/32`;
  const whole = text.includes('/') ? text : `${text}/128`;
  return parseCidr(whole)?.text ?? text;
}

/** Whether `inner` lies in `outer`, both spelled as `cidrKey` spells them. */
export function isWithin(inner: string, outer: string): boolean {
  const [network = '', length = ''] = inner.split('/');
  return Number(length) >= Number(outer.split('/')[1]) && cidrContains(outer, network);
}
