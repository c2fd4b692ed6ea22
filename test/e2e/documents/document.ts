import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lab } from '../lab/environment.ts';

/** A fenced block of a document. */
export interface Block {
  /** `sh`: to be typed. `text`: what is seen then. */
  readonly language: string;
  readonly text: string;
  /** Where it begins: FILE:LINE. */
  readonly at: string;
}

/** The commands under a heading, its subheadings included, and what the document says that one sees after each. */
export function blocksOf(path: string, heading: string): readonly Block[] {
  const lines = readFileSync(join(lab().repository, path), 'utf8').split('\n');
  const begin = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (begin < 0) throw new Error(`${path} has no heading "${heading}"`);
  const level = lines[begin]?.indexOf(' ') ?? 0;
  const blocks: Block[] = [];
  let open: { readonly language: string; readonly at: number; readonly indent: number } | undefined;
  for (let at = begin + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, indent = '', language = ''] = /^( *)```(\w*)$/.exec(line) ?? [];
    if (open && line.trim() === '```') {
      const inner = lines.slice(open.at + 1, at).map((one) => one.slice(open?.indent));
      blocks.push({ language: open.language, text: inner.join('\n'), at: `${path}:${open.at + 1}` });
      open = undefined;
    } else if (!open && language !== '') open = { language, at, indent: indent.length };
    else if (!open && /^#+ /.test(line) && line.indexOf(' ') <= level) break;
  }
  const found = blocks.filter(({ language }) => language === 'sh' || language === 'text');
  if (!found.some(({ language }) => language === 'sh')) throw new Error(`${path}, "${heading}": no commands`);
  return found;
}

/**
 * The lines of a document that an output lacks. Each has to come, one after the other; a word with a digit, such as an
 * address, a port, or an age, stands for any word with one, and `...` for the rest of a line.
 */
export function unseen(expected: string, output: string): readonly string[] {
  const rest = output.split('\n');
  return expected.split('\n').filter((line) => {
    const at = rest.findIndex((seen) => isAs(words(line), words(seen)));
    rest.splice(0, at + 1);
    return at < 0;
  });
}

const words = (line: string): readonly string[] => line.trim().split(/\s+/);

function isAs(expected: readonly string[], seen: readonly string[]): boolean {
  const open = expected.indexOf('...');
  if (open >= 0) return isAs(expected.slice(0, open), seen.slice(0, open));
  return (
    expected.length === seen.length &&
    expected.every((word, index) => word === seen[index] || (/\d/.test(word) && /\d/.test(seen[index] ?? '')))
  );
}
