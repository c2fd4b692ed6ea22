import { isIP } from 'node:net';

/**
 * The network of an IP address with a prefix length, as Python's ipaddress prints it; undefined if the text
 * is no such address. Without a length the address is a network of its own.
 */
export function networkOf(text: string): string | undefined {
  const [address = '', length] = text.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  if (family === 0 || address.includes('%') || (length !== undefined && !/^\d{1,3}$/.test(length)))
    return undefined;
  const size = length === undefined ? bits : Number(length);
  if (size > bits) return undefined;
  const kept = (valueOf(address, family) >> BigInt(bits - size)) << BigInt(bits - size);
  return `${family === 6 ? sixText(kept) : fourText(kept)}/${size}`;
}

/** Whether an address is in a network, such as `10.0.0.5` in `10.0.0.0/24`. */
export function contains(cidr: string, address: string): boolean {
  const bits = cidr.split('/')[1] ?? '';
  return (
    isIP(address) === isIP(cidr.split('/')[0] ?? '') && networkOf(`${address}/${bits}`) === networkOf(cidr)
  );
}

function valueOf(address: string, family: number): bigint {
  if (family === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...middle, ...right].reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

const fourText = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');

function sixText(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 65535n).toString(16),
  );
  const runs = [...groups.join(':').matchAll(/(^|:)0(:0)+(?=:|$)/g)].map(([run]) => run);
  const longest = runs.sort((a, b) => b.length - a.length)[0];
  return longest === undefined
    ? groups.join(':')
    : groups.join(':').replace(longest, '::').replace(/:{3,}/, '::');
}
