import { didYouMean } from '../model/text/did-you-mean.ts';
import { flagsOfCluster, type Flags } from './read-flags.ts';
import { camel, NotAllowed, refusalOf } from './read-value.ts';

/**
 * Reads the flags of one cluster: one `name=value` a line; lines that are empty or begin with # say nothing. A line that is wrong
 * adds to `problems`, which name line and flag, and repeat nothing of the text.
 */
export function readFlagsText(text: string, file: string, problems: string[]): Flags {
  const rows = new Map<string, ReturnType<typeof flagsOfCluster>[number][1]>(flagsOfCluster());
  const found = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const at = line.indexOf('=');
    const [name, value] =
      at < 0 ? [line.trim(), undefined] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (line.trim() === '' || name.startsWith('#')) continue;
    const row = rows.get(name);
    const before = found.get(name);
    const result = value === undefined ? undefined : row?.read?.(value);
    const wrong = ((): string | undefined => {
      if (!row)
        return `no flag of a cluster has this name: write name=value${didYouMean(name, [...rows.keys()])}`;
      if (value === undefined) return `${name} has no value: write ${name}=value`;
      if (before !== undefined && !row.repeatable)
        return `${name} has a value in a line above: leave one of them`;
      return result instanceof NotAllowed ? refusalOf(name, value, result) : undefined;
    })();
    if (wrong !== undefined) problems.push(`${file}:${index + 1}: ${wrong}`);
    else found.set(name, before === undefined ? (value ?? '') : `${before},${value ?? ''}`);
  }
  return Object.fromEntries([...found].map(([name, value]) => [camel(name), value])) as Flags;
}
