export interface ScannedValue {
  readonly value: string;
  readonly problem?: string;
  /** Where scanning stopped: a newline, a comment, the end, or the character that is wrong. */
  readonly end: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n', t: '\t' };

/**
 * Reads a value of gcfg from its first character. Comments begin at any ; or # outside double quotes; quoted parts may
 * stand anywhere; \\ \" \n \t are escapes inside quotes; outside, a backslash continues the line or stands before a
 * double quote. Blanks at the end fall away.
 */
export function scanValue(text: string, start: number): ScannedValue {
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
  if (quoted) return { value, problem: 'a double quote is missing at the end of the value', end: at };
  return { value: value.slice(0, kept), end: at };
}

function escapeProblem(quoted: boolean): string {
  return quoted
    ? 'in double quotes a backslash stands only before \\, ", n or t'
    : 'outside double quotes a backslash stands only before " or the end of the line; write the value in double quotes with \\\\';
}
