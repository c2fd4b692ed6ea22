import { isIP } from 'node:net';

/** Address ranges as Octavia compares them: network address and prefix length, IPv6 in lower case. */
export interface Cidr {
  readonly text: string;
  readonly family: 4 | 6;
}

/** `10.0.0.7/8` is `10.0.0.0/8`. Undefined for what is no CIDR. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...rest] = text.trim().split('/');
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
  const network = mask(toBigInt(address), Number(length), bits);
  return { text: `${toText(network, bits)}/${Number(length)}`, family: family === 4 ? 4 : 6 };
}

/** An address as OpenStack prints it: of the spellings of an IPv6 address the shortest. */
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

/** The first and the last address of a CIDR, as numbers. */
export function boundsOf(cidr: string): readonly [first: bigint, last: bigint] {
  const [address = '', length = ''] = cidr.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const first = mask(toBigInt(address), Number(length), bits);
  return [first, first + (1n << BigInt(bits - Number(length))) - 1n];
}

/** The CIDR of this prefix length that begins at this number. */
export function cidrAt(first: bigint, length: number, family: 4 | 6): string {
  return `${toText(first, family === 4 ? 32 : 128)}/${length}`;
}

/** By value, for sorting addresses of one family. */
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
