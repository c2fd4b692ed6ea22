import { createHash, createHmac } from 'node:crypto';

export interface KeyPair {
  readonly certificate: Buffer;
  readonly chain: readonly Buffer[];
  readonly key: Buffer;
}

const PKCS7_DATA = '1.2.840.113549.1.7.1';
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21';
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1';
const KEY_BAG = '1.2.840.113549.1.12.10.1.1';
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3';
const SHA256 = '2.16.840.1.101.3.4.2.1';

/** A PKCS #12 file (RFC 7292) with an empty password, as Octavia takes it from Barbican. The same pair gives the same bytes. */
export function toPkcs12({ certificate, chain, key }: KeyPair): Buffer {
  const pair = createHash('sha1').update(certificate).digest();
  const bags = sequence(
    certificateBag(certificate, pair),
    ...chain.map((one) => certificateBag(one)),
    bag(KEY_BAG, key, pair),
  );
  const safes = sequence(data(bags));
  return sequence(integer(3), data(safes), mac(safes, pair.subarray(0, 8)));
}

function data(content: Buffer): Buffer {
  return sequence(oid(PKCS7_DATA), explicit(octets(content)));
}

function certificateBag(der: Buffer, pair?: Buffer): Buffer {
  return bag(CERTIFICATE_BAG, sequence(oid(X509_CERTIFICATE), explicit(octets(der))), pair);
}

/** A SafeBag. The key and its certificate have the same localKeyId (`pair`). */
function bag(type: string, content: Buffer, pair?: Buffer): Buffer {
  const attributes = pair ? [set(sequence(oid(LOCAL_KEY_ID), set(octets(pair))))] : [];
  return sequence(oid(type), explicit(content), ...attributes);
}

const ITERATIONS = 2048;

function mac(content: Buffer, salt: Buffer): Buffer {
  const digest = createHmac('sha256', macKey(salt)).update(content).digest();
  const info = sequence(sequence(oid(SHA256), NULL), octets(digest));
  return sequence(info, octets(salt), integer(ITERATIONS));
}

/** The key of the MAC (RFC 7292, appendix B.2): purpose 3, the salt, and the empty password with its two zeros. */
function macKey(salt: Buffer): Buffer {
  const block = 64;
  const filled = (bytes: Buffer): Buffer => Buffer.alloc(block, bytes);
  let key = Buffer.concat([Buffer.alloc(block, 3), filled(salt), filled(Buffer.alloc(2))]);
  for (let round = 0; round < ITERATIONS; round += 1) key = createHash('sha256').update(key).digest();
  return key;
}

/** The Distinguished Encoding Rules (X.690), as far as a PKCS #12 file needs them. */
const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);
const octets = (content: Buffer): Buffer => tagged(0x04, content);
const NULL = Buffer.from([0x05, 0x00]);

const explicit = (content: Buffer): Buffer => tagged(0xa0, content);

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const sign = (bytes[0] ?? 0) > 0x7f ? [Buffer.from([0])] : [];
  return tagged(0x02, ...sign, bytes);
}

function oid(text: string): Buffer {
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
