import { didYouMean } from '../../model/text/did-you-mean.ts';
import { NotAllowed, refusalOf } from '../read-value.ts';
import type { GcfgEntry, GcfgSection } from './gcfg.ts';
import { OPTIONS } from './options.ts';

/** Sections of the file that are for other programs. */
const OF_OTHERS = ['blockstorage'];
const SECTIONS = [
  'Global',
  'LoadBalancer',
  'LoadBalancerClass',
  'Metadata',
  'Networking',
  'Route',
  'BlockStorage',
];
const TITLES = new Map(SECTIONS.map((title) => [title.toLowerCase(), title]));

interface Findings {
  readonly problems: string[];
  readonly warnings: string[];
}

/**
 * Whether levelset reads a section. A section that it ignores adds a warning, unless the section is for other
 * programs.
 */
export function isReadSection(section: GcfgSection, file: string, warnings: string[]): boolean {
  const { name, subsection, line } = section;
  if (OF_OTHERS.includes(name)) return false;
  const title = TITLES.get(name);
  const named = name === 'loadbalancerclass';
  if (OPTIONS[name] !== undefined && (subsection !== undefined) === named) return true;
  const why =
    title === undefined
      ? `there is no section of this name; levelset ignores it${didYouMean(name, SECTIONS)}`
      : named
        ? `[${title}] needs a name, such as [${title} "internet"]; levelset ignores this one`
        : `[${title}] has no subsections; levelset ignores this one`;
  warnings.push(`${file}:${line}: ${why}`);
  return false;
}

/**
 * The value of one entry; an empty one is none, as if the option were not there. Undefined: the entry has no value to use, and
 * `findings` says why. If an option has one line for each of its values, the value is a list: `before`, which has the values of the lines before,
 * and this one.
 */
export function readEntry(
  section: GcfgSection,
  entry: GcfgEntry,
  file: string,
  findings: Findings,
  before: unknown,
): unknown {
  const { key, value, line } = entry;
  const title = `${file}:${line}: [${TITLES.get(section.name) ?? ''}]`;
  const place = `${title} ${key}`;
  const options = OPTIONS[section.name] ?? [];
  const option = options.find((one) => one.key === key);
  if (option === undefined) {
    const keys = options.map((one) => one.key);
    findings.warnings.push(
      `${title} has no option of this name; levelset ignores it${didYouMean(key, keys)}`,
    );
    return undefined;
  }
  const result = value === '' ? value : option.read(value);
  if (result instanceof NotAllowed) {
    findings.problems.push(refusalOf(place, value, result));
    return undefined;
  }
  if (option.note !== undefined && result !== option.default && result !== '') {
    findings.warnings.push(`${place} ${option.note}`);
  }
  const remark = option.remark?.(value ?? '');
  if (remark !== undefined) findings.warnings.push(`${place} ${remark}`);
  return option.repeatable === true ? [...((before ?? []) as readonly unknown[]), result] : result;
}
