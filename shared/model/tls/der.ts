/** Distinguished Encoding Rules (X.690), as much as a PKCS #12 file needs. */
export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const NULL = Buffer.from([0x05, 0x00]);

/** [0] EXPLICIT. */
export const explicit = (content: Buffer): Buffer => tagged(0xa0, content);

/** Not negative. */
export function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const sign = (bytes[0] ?? 0) > 0x7f ? [Buffer.from([0])] : [];
  return tagged(0x02, ...sign, bytes);
}

/** `1.2.840.113549.1.7.1`. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const higher = Math.floor(value / 128);
  return higher === 0 ? [value % 128] : [...base128(higher).map((byte) => byte | 0x80), value % 128];
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const head = length < 128 ? [tag, length] : [tag, 0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), content]);
}
