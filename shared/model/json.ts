/** Reading JSON of other programs, and comparing values by their JSON. */
import { createHash } from 'node:crypto';

/** The value of a JSON text. Undefined for another text, such as HTML, a cut answer or an empty text, and for more than a parser should be given. */
export function parseJson(text: string): unknown {
  try {
    return parseMeasured(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function withoutUndefined<T extends object>(
  object: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The string under a key; undefined if there is none. */
export function stringAt(value: unknown, key: string): string | undefined {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** A hash of 24 hex digits. Values that differ only in the order of their keys have the same hash. */
export function fingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(value)))
    .digest('hex')
    .slice(0, 24);
}

/** Whether two values have the same JSON, whatever the order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/** Deeper than any object of Kubernetes. Nested brackets take a hundred times their bytes of memory, and the stack of whoever walks through. */
const MOST_LEVELS = 200;
/** More than 10 MB of audit events have, even with all their field managers. */
const MOST_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_MAP, CLOSE_LIST, CLOSE_MAP] = [0x5b, 0x7b, 0x5d, 0x7d];
const SPACE = 0x20;

/** A shorter text costs nobody anything, whatever it is. */
const SHORT = 100_000;

/** The value of a JSON text. Throws SyntaxError for another text, and RangeError with the reason for more than a parser should be given. */
export function parseMeasured(text: string): unknown {
  const tooMuch = text.length > SHORT ? whyTooMuch(Buffer.from(text)) : undefined;
  if (tooMuch !== undefined) throw new RangeError(tooMuch);
  return JSON.parse(text) as unknown;
}

/** Why a JSON text in UTF-8 is not parsed; undefined if it may be. Looks at each byte once. */
export function whyTooMuch(body: Buffer): string | undefined {
  // a comma is one more value, and so is whatever comes first in brackets
  let [levels, values, isFirst] = [0, 0, true];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte <= SPACE) continue;
    if (byte === CLOSE_LIST || byte === CLOSE_MAP) levels -= 1;
    else if (byte === COMMA || isFirst) values += 1;
    if (byte === QUOTE) at = endOfString(body, at + 1);
    isFirst = byte === OPEN_LIST || byte === OPEN_MAP;
    if (isFirst) levels += 1;
    if (levels > MOST_LEVELS) return `the JSON is nested deeper than ${MOST_LEVELS} levels`;
    if (values > MOST_VALUES) return `the JSON has more than ${MOST_VALUES} values`;
  }
  return undefined;
}

function endOfString(body: Buffer, at: number): number {
  let end = at;
  while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1;
  return end;
}
