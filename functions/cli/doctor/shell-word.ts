/** A text as one word of a command to paste, whatever is in it: names have spaces, and addresses come from others. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
