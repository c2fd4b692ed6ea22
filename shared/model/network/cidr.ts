import { isIP, isIPv4 } from 'node:net';

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
  const network = masked(partsOf(address), Number(length));
  return { text: `${textOf(network)}/${Number(length)}`, family: family === 4 ? 4 : 6 };
}

/** An IP address as OpenStack prints it: IPv6 in its shortest form. */
export function canonicalAddress(address: string): string {
  return textOf(partsOf(address));
}

export function cidrContains(cidr: string, address: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(network) !== family) return false;
  const wanted = masked(partsOf(network), Number(length));
  return masked(partsOf(address), Number(length)).every((part, at) => part === wanted[at]);
}

export function compareAddresses(a: string, b: string): number {
  const [left, right] = [toBigInt(partsOf(a)), toBigInt(partsOf(b))];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Bytes of IPv4, groups of IPv6. Numbers: arithmetic with bigint takes ten times as long, and a Service may have many ranges. */
function partsOf(address: string): readonly number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  const v4 = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const [a = 0, b = 0, c = 0, d = 0] = v4 ? partsOf(v4[2] ?? '') : [];
  const text = v4 ? `${v4[1] ?? ''}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}` : address;
  const [head = '', tail = ''] = text.split('%')[0]?.split('::') ?? [];
  const first = groupsOf(head);
  const last = groupsOf(tail);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
}

function masked(parts: readonly number[], length: number): readonly number[] {
  const bits = parts.length === 4 ? 8 : 16;
  return parts.map((part, at) => {
    const host = Math.min(bits, Math.max(0, (at + 1) * bits - length));
    return (part >> host) << host;
  });
}

function toBigInt(parts: readonly number[]): bigint {
  const bits = parts.length === 4 ? 8n : 16n;
  return parts.reduce((sum, part) => (sum << bits) + BigInt(part), 0n);
}

/** IPv6 as RFC 5952 has it: the first one of the longest runs of zeros becomes `::`, if it has two groups or more. */
function textOf(parts: readonly number[]): string {
  if (parts.length === 4) return parts.join('.');
  let [start, length] = [0, 1];
  for (let at = 0; at < parts.length; at += 1) {
    let end = at;
    while (parts[end] === 0) end += 1;
    if (end - at > length) [start, length] = [at, end - at];
    at = Math.max(at, end);
  }
  const hex = parts.map((part) => part.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/** One spelling for a CIDR or IP address, which becomes a CIDR of itself. Another text stays as it is. */
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
