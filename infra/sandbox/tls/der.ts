/** The part of DER (X.690) that a certificate takes: each function returns one value with its tag and length. */

const CLASS_CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  const head = length < 0x80 ? Buffer.of(tag, length) : Buffer.of(tag, 0x80 | long.length, ...long);
  return Buffer.concat([head, content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const bits = (content: Buffer): Buffer => tagged(0x03, Buffer.concat([Buffer.of(0), content]));
export const text = (content: string): Buffer => tagged(0x0c, Buffer.from(content));
export const truth = (): Buffer => tagged(0x01, Buffer.of(0xff));

/** A number without a sign. */
export function whole(bytes: Buffer): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, isNegative ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** A moment before the year 2050: `261123120000Z`. */
export function moment(at: Date): Buffer {
  const [digits = ''] = at.toISOString().replace(/[-:T]/g, '').split('.');
  return tagged(0x17, Buffer.from(`${digits.slice(2)}Z`));
}

/** A value with a tag of the context, which names a field or a choice. */
export const field = (number: number, content: Buffer, { constructed = true } = {}): Buffer =>
  tagged(CLASS_CONTEXT | (constructed ? CONSTRUCTED : 0) | number, content);

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}
