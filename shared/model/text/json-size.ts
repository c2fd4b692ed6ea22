/**
 * Limits of JSON before it is parsed: nested brackets take a hundred times their bytes of memory, and the stack of
 * whoever walks through.
 */

/** Deeper than any object of Kubernetes. */
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
