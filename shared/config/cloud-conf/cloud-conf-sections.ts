import { didYouMean } from '../flags/did-you-mean.ts';
import type { GcfgEntry, GcfgSection } from './gcfg.ts';
import { ACCESS_KEYS } from './global-options.ts';
import { CLASS_FIELDS, LB_VERSION, LOAD_BALANCER_OPTIONS, type Option } from './load-balancer-options.ts';
import { NETWORKING_OPTIONS } from './networking-options.ts';
import { flag, id, milliseconds, NotAllowed, searchOrder, text, type Read } from './option.ts';

interface Known extends Pick<Option, 'key' | 'note'> {
  readonly read: Read<unknown>;
  readonly default?: unknown;
  readonly repeatable?: true;
  readonly remark?: (value: string) => string | undefined;
}

const known = (key: string, read: Read<unknown>): Known => ({ key, read });

/** Sections whose keys are known here. */
const OPTIONS: Readonly<Record<string, readonly Known[]>> = {
  global: [
    ...ACCESS_KEYS.map((key) => known(key, text)),
    known('use-clouds', flag),
    known('clouds-file', text),
    known('cloud', text),
  ],
  loadbalancer: [...Object.values(LOAD_BALANCER_OPTIONS), LB_VERSION],
  loadbalancerclass: CLASS_FIELDS.map((field) => LOAD_BALANCER_OPTIONS[field]),
  networking: Object.values(NETWORKING_OPTIONS),
  route: [known('router-id', id)],
  // what is asked is Nova, in any order
  metadata: [known('search-order', searchOrder), known('request-timeout', milliseconds)],
};

/** For others that read the same file. */
const IGNORED = ['blockstorage'];
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

export interface Sink {
  readonly problems: string[];
  readonly warnings: string[];
}

/** Whether the entries of a section are for levelset; says so when they should have been. */
export function isReadSection(section: GcfgSection, file: string, warnings: string[]): boolean {
  const { name, subsection, line } = section;
  if (IGNORED.includes(name)) return false;
  const title = TITLES.get(name);
  const named = name === 'loadbalancerclass';
  if (OPTIONS[name] !== undefined && (subsection !== undefined) === named) return true;
  const why =
    title === undefined
      ? `[${name}] is not a known section and is ignored${didYouMean(name, SECTIONS)}`
      : named
        ? `[${title}] needs a name, such as [${title} "internet"]; this one is ignored`
        : `[${title}] has no subsections; this one is ignored`;
  warnings.push(`${file}:${line}: ${why}`);
  return false;
}

/**
 * The value of one entry; undefined when there is none to use, and why is told. One that may be repeated is added to those `before`.
 */
export function readEntry(
  section: GcfgSection,
  entry: GcfgEntry,
  file: string,
  sink: Sink,
  before: unknown,
): unknown {
  const { key, value, line } = entry;
  const name = section.subsection === undefined ? '' : ` ${JSON.stringify(section.subsection)}`;
  const place = `${file}:${line}: [${TITLES.get(section.name) ?? section.name}${name}] ${key}`;
  const options = OPTIONS[section.name] ?? [];
  const option = options.find((one) => one.key === key);
  if (option === undefined) {
    const hint = didYouMean(
      key,
      options.map((one) => one.key),
    );
    sink.warnings.push(`${place} is not a known option and is ignored${hint}`);
    return undefined;
  }
  const result = option.read(value);
  if (result instanceof NotAllowed) {
    // Only options that are no secrets can have a value that is not allowed.
    const shown = value === undefined ? ' has no value' : ` = ${JSON.stringify(value)} is not allowed`;
    sink.problems.push(`${place}${shown}: give ${result.allowed}`);
    return undefined;
  }
  if (option.note !== undefined && result !== option.default && result !== '') {
    sink.warnings.push(`${place} ${option.note}`);
  }
  const remark = option.remark?.(value ?? '');
  if (remark !== undefined) sink.warnings.push(`${place} ${remark}`);
  return option.repeatable === true ? [...((before ?? []) as readonly unknown[]), result] : result;
}
