/** What others wrote, so that it can be shown anywhere: on a terminal, on a page, in an Event (decision 31). */

/** Longer values are cut where they are told: an annotation may have 256 kB. */
const LONGEST = 200;

/** Control and format characters, lone surrogates, and what ends a line in some readers: none of them is shown as it is. */
const UNSEEN = /[\p{C}\u2028\u2029]/gu;

/** One line of text in which every character can be seen. */
export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A value in JSON, cut, on one line. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
  return printable(cut);
}

/** Cut to a limit of length, which shows. */
export function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** For sorting, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** With dashes or without, as a part of a pattern that ignores case. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}';
const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');

/** In lower case; undefined for anything else. What is none never enters a URL (decision 30). */
export function readUuid(text: string): string | undefined {
  return UUID.test(text.trim()) ? text.trim().toLowerCase() : undefined;
}
