/** Texts that others wrote, cut, escaped and without secrets, fit to be shown (decision 31). */

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

/** `; did you mean X?` with the nearest known name, if that is at most two typing errors away; else an empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= 2)
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? '' : `; did you mean ${near.candidate}?`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}

/** What is a secret by its looks: tokens of a header, of a ServiceAccount (JWT) and of Keystone (Fernet), and keys in PEM. */
const LOOKS = [
  /(?<=\b(?:bearer|x-auth-token:?)\s+)[\w.~+/=:-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\bgAAAA[\w-]{20,}={0,2}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*-----|$)/g,
];

const REDACTED = 'REDACTED';

/** A text without these secrets, as they are and as JSON has them, and without what is a secret by its looks. */
export function redact(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = written.filter((one) => one !== '').sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return LOOKS.reduce((rest, look) => rest.replaceAll(look, REDACTED), known);
}

/** Whether the name of a variable or of a flag says that its value is a secret. */
export const isSecretName = (name: string): boolean =>
  /(tokens?|passw(or)?d|secret|[-_]key|credential|assertion)$/i.test(name);
