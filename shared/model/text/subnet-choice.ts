/** The grammar of `floating-subnet` and `floating-subnet-tags` (docs/sources/occm.md, "Floating subnet"). */
import { linearPattern, PATTERN_SYNTAX } from './linear-pattern.ts';

export type Choice<T> = { readonly matches: (value: T) => boolean } | { readonly allowed: string };

/** A text from an annotation may have 256 kB, and the grammar below reads some of it more than once. */
const MOST_CHARACTERS = 256;

const NAMES =
  'a name, a glob such as public-*, or ~ and a regular expression; ! in front means all others; at most 256 characters';

/** A choice by name: `public-1`, `public-*`, `~public-\d+`, `!private-*`. The whole name must match. */
export function chooseByName(text: string): Choice<string> {
  if (text.length > MOST_CHARACTERS) return { allowed: NAMES };
  const negated = text.startsWith('!');
  const rest = negated ? text.slice(1) : text;
  if (rest === '' || rest === '~' || /\p{Cc}/u.test(text)) return { allowed: NAMES };
  const pattern = linearPattern(rest.startsWith('~') ? rest.slice(1) : globToPattern(rest));
  if ('allowed' in pattern) {
    return { allowed: rest.startsWith('~') ? `~ and ${pattern.allowed}` : `${NAMES}; not ${PATTERN_SYNTAX}` };
  }
  return negated ? { matches: (name) => !pattern.matches(name) } : pattern;
}

function globToPattern(glob: string): string {
  let depth = 0;
  return glob.replace(/\[[!^]?[^\]]+\]|[^]/gu, (part) => {
    if (part.length > 1 && part.startsWith('[')) return part.replace(/^\[!/, '[^');
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (part === '{') depth += 1;
    else if (part === '}' && depth > 0) depth -= 1;
    else if (part !== ',' || depth === 0) return /[\p{L}\p{N}]/u.test(part) ? part : `\\${part}`;
    return part === '{' ? '(' : part === '}' ? ')' : '|';
  });
}

/** A choice by the subnet's tags: `a,b` means any of them, `&a,b` all, `!a,b` none, `!&a,b` not all. */
export function chooseByTags(text: string): Choice<readonly string[]> {
  const [, not = '', all = '', list = ''] = /^(!?)(&?)(.*)$/s.exec(text) ?? [];
  const tags = list.split(',').map((tag) => tag.trim());
  if (tags.includes('') || /\p{Cc}/u.test(text))
    return { allowed: 'tags with commas between them; & in front means all, ! none' };
  const has = (there: readonly string[]) =>
    all === '&' ? tags.every((tag) => there.includes(tag)) : tags.some((tag) => there.includes(tag));
  return { matches: not === '!' ? (there) => !has(there) : has };
}
