export interface GcfgEntry {
  /** In lower case: gcfg ignores the case of names. */
  readonly key: string;
  /** Undefined for a bare `key`: true for a boolean, an error for a string or a number. */
  readonly value: string | undefined;
  readonly line: number;
}

interface GcfgSection {
  readonly name: string;
  /** The text in quotes of `[name "text"]`, in its own case. */
  readonly subsection?: string;
  readonly line: number;
  readonly entries: readonly GcfgEntry[];
}

interface GcfgProblem {
  readonly line: number;
  /** Repeats nothing of the text: what stands where a key should may be a secret. */
  readonly message: string;
}

const NAME = /[\p{L}][\p{L}\p{Nd}-]*/uy;
const HEADER =
  /\[[ \t]*([\p{L}][\p{L}\p{Nd}-]*)[ \t]*(?:"((?:[^"\\\n]|\\[\\"])*)"[ \t]*)?\][ \t]*(?=[;#\n]|$)/uy;

/** Reads the INI dialect of Go's gopkg.in/gcfg.v1 (docs/sources/tools.md, "gcfg"). Never throws: after a problem the next line is read. */
export function parseGcfg(source: string): {
  readonly sections: readonly GcfgSection[];
  readonly problems: readonly GcfgProblem[];
} {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r', '');
  const sections: (GcfgSection & { entries: GcfgEntry[] })[] = [];
  const problems: GcfgProblem[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    at = skip(text, at, ' \t');
    const rest = restOfLine(text, at);
    if (text[at] === '[') {
      const header = match(HEADER, text, at);
      const name = header?.[1];
      const subsection = header?.[2]?.replace(/\\(.)/g, '$1');
      if (name === undefined || subsection === '') {
        problems.push({
          line,
          message: 'a section is written [name] or [name "subsection"], letters, digits and - in the name',
        });
        // The entries that follow belong to the section that could not be read.
        sections.push({ name: '', line, entries: [] });
      } else {
        sections.push({
          name: name.toLowerCase(),
          line,
          entries: [],
          ...(subsection === undefined ? {} : { subsection }),
        });
      }
      at += rest.length;
    } else if (rest !== '' && !';#'.includes(rest.charAt(0))) {
      const section = sections.at(-1);
      const entry = readEntry(text, at);
      if (entry.problem !== undefined) problems.push({ line, message: entry.problem });
      else if (section === undefined)
        problems.push({ line, message: 'this stands before the first [section]' });
      else section.entries.push({ key: entry.key, value: entry.value, line });
      line += entry.lines;
      at = entry.end;
    } else {
      at += rest.length;
    }
    at += 1;
    line += 1;
  }
  return { sections: sections.filter(({ name }) => name !== ''), problems };
}

interface ReadEntry {
  readonly key: string;
  readonly value: string | undefined;
  readonly problem?: string;
  /** The position of the newline after the entry, or the end of the text. */
  readonly end: number;
  readonly lines: number;
}

function readEntry(text: string, start: number): ReadEntry {
  const name = match(NAME, text, start)?.[0];
  const lineEnd = start + restOfLine(text, start).length;
  if (name === undefined) {
    const problem = 'a line is key = value, and a key begins with a letter and has letters, digits and -';
    return { key: '', value: undefined, problem, end: lineEnd, lines: 0 };
  }
  const key = name.toLowerCase();
  const at = skip(text, start + name.length, ' \t');
  const next = text[at];
  if (next === undefined || '\n;#'.includes(next)) return { key, value: undefined, end: lineEnd, lines: 0 };
  if (next !== '=') {
    const problem =
      'a key is followed by = and has only letters, digits and -; a value goes on in the next line after a backslash alone';
    return { key, value: undefined, problem, end: lineEnd, lines: 0 };
  }
  const { value, problem, end } = scanValue(text, skip(text, at + 1, ' \t'));
  const newline = end + restOfLine(text, end).length;
  const lines = text.slice(start, newline).split('\n').length - 1;
  return {
    key,
    value,
    end: newline,
    lines,
    ...(problem === undefined ? {} : { problem }),
  };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skip(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && characters.includes(text.charAt(at))) at += 1;
  return at;
}

function restOfLine(text: string, from: number): string {
  const newline = text.indexOf('\n', from);
  return text.slice(from, newline === -1 ? text.length : newline);
}

interface ScannedValue {
  readonly value: string;
  readonly problem?: string;
  readonly end: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', t: '\t' };

/**
 * A value: comments begin at ; or # outside quotes, quoted parts stand anywhere, a backslash continues the line.
 * Blanks at the end fall away.
 */
function scanValue(text: string, start: number): ScannedValue {
  let value = '';
  let kept = 0;
  let quoted = false;
  let at = start;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (!quoted && '\n;#'.includes(character)) break;
    if (character === '\n') {
      return { value, problem: 'a value in double quotes ends on its line', end: at };
    }
    if (character === '\\') {
      at += 1;
      const escaped = text.charAt(at);
      const continues = !quoted && escaped === '\n';
      const meant = continues ? '' : quoted || escaped === '"' ? ESCAPES[escaped] : undefined;
      if (meant === undefined) return { value, problem: escapeProblem(quoted), end: at };
      value += meant;
    } else if (character === '"') {
      quoted = !quoted;
    } else {
      value += character;
      if (!quoted && (character === ' ' || character === '\t')) continue;
    }
    kept = value.length;
  }
  if (quoted) return { value, problem: 'the file ends inside double quotes: close them', end: at };
  return { value: value.slice(0, kept), end: at };
}

function escapeProblem(quoted: boolean): string {
  return quoted
    ? 'in double quotes a backslash stands only before \\, ", n or t'
    : 'outside double quotes a backslash stands only before " or the end of the line; write the value in double quotes with \\\\';
}
