/** Texts that others wrote, made fit to be shown on a terminal, on a page or in an Event (decision 31). */

/** So many characters of a value are shown in messages. An annotation may have 256 kB. */
const LONGEST = 200;

const UNSEEN = /[\p{C}\u2028\u2029]/gu;

export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A value as JSON on one line, cut if it is long. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
  return printable(cut);
}

/** The text cut to a length, with `…` at its end if something was cut. */
export function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Source of a regular expression that matches a UUID with or without dashes. It needs the flag `i`. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}';
const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');

/** The UUID in lower case; undefined for another text, which must not enter a URL (decision 31). */
export function readUuid(text: string): string | undefined {
  return UUID.test(text.trim()) ? text.trim().toLowerCase() : undefined;
}
