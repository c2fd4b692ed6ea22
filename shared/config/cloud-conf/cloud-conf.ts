import { didYouMean } from '../../model/text/text.ts';
import type { Access } from '../clouds/access.ts';
import { camel, NotAllowed, refusalOf } from '../read-value.ts';
import { parseGcfg, type GcfgEntry } from './gcfg.ts';
import { OPTIONS, type Option, type Section, type ValuesOf } from './options.ts';

export interface CloudConf {
  readonly access: Access;
  readonly global: ValuesOf<'Global'>;
  readonly loadBalancer: ValuesOf<'LoadBalancer'>;
  readonly given: readonly string[];
  readonly loadBalancerClasses: Readonly<Record<string, ValuesOf<'LoadBalancerClass'>>>;
  readonly networking: ValuesOf<'Networking'>;
  readonly route: ValuesOf<'Route'>;
  readonly metadata: ValuesOf<'Metadata'>;
  /** Everything that keeps levelset from using the file, one line each; never a secret. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Given = Map<string, unknown>;

interface Findings {
  readonly problems: string[];
  readonly warnings: string[];
}

const SECTIONS = Object.keys(OPTIONS) as readonly Section[];
const OF_OTHERS = 'BlockStorage';

/** Reads cloud.conf (docs/sources/occm.md, "cloud.conf"). `file` is its name in messages. Never throws. */
export function readCloudConf(source: string, file: string): CloudConf {
  const { sections, problems: broken } = parseGcfg(source);
  const problems = broken.map(({ line, message }) => `${file}:${line}: ${message}`);
  const warnings: string[] = [];
  const ofBalancers: string[] = [];
  const plain = Object.fromEntries(SECTIONS.map((section) => [section, new Map()])) as Record<Section, Given>;
  const classes = new Map<string, Given>();
  for (const { name, subsection, line, entries } of sections) {
    if (name === OF_OTHERS.toLowerCase()) continue;
    const section = SECTIONS.find((one) => one.toLowerCase() === name);
    if (section === undefined || (section === 'LoadBalancerClass') !== (subsection !== undefined)) {
      warnings.push(`${file}:${line}: ${whyIgnored(name, section)}`);
      continue;
    }
    const given = subsection === undefined ? plain[section] : (classes.get(subsection) ?? new Map());
    if (subsection !== undefined) classes.set(subsection, given);
    const findings = { problems: section.startsWith('LoadBalancer') ? ofBalancers : problems, warnings };
    for (const entry of entries) readEntry(entry, section, given, file, findings);
  }
  const loadBalancer = valuesOf('LoadBalancer', plain.LoadBalancer);
  // Where levelset makes no load balancer, nothing of these sections is used.
  (loadBalancer.enabled ? problems : warnings).push(...ofBalancers);
  return {
    access: accessIn(plain.Global),
    global: valuesOf('Global', plain.Global),
    loadBalancer,
    given: Object.keys(OPTIONS.LoadBalancer)
      .filter((key) => plain.LoadBalancer.has(key))
      .map(camel),
    loadBalancerClasses: Object.fromEntries(
      [...classes].map(([name, given]) => [name, valuesOf('LoadBalancerClass', given)]),
    ),
    networking: valuesOf('Networking', plain.Networking),
    route: valuesOf('Route', plain.Route),
    metadata: valuesOf('Metadata', plain.Metadata),
    problems,
    warnings,
  };
}

function whyIgnored(name: string, section: Section | undefined): string {
  if (section === undefined)
    return `levelset does not know this section, and ignores it${didYouMean(name, [...SECTIONS, OF_OTHERS])}`;
  return section === 'LoadBalancerClass'
    ? '[LoadBalancerClass] needs a name, such as [LoadBalancerClass "internet"]; levelset ignores this one'
    : `[${section}] has no subsections; levelset ignores this one`;
}

/** Adds the value of one entry to `given`; an empty one is none, as if the option were not there. */
function readEntry(
  { key, value, line }: GcfgEntry,
  section: Section,
  given: Given,
  file: string,
  { problems, warnings }: Findings,
): void {
  const title = `${file}:${line}: [${section}]`;
  const options: Readonly<Record<string, Option>> = OPTIONS[section];
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (option === undefined) {
    const hint = didYouMean(key, Object.keys(options));
    warnings.push(`${title} has no option of this name; levelset ignores it${hint}`);
    return;
  }
  if (value === '') {
    if (!option.repeatable) given.delete(key);
    return;
  }
  const result = option.read(value);
  if (result instanceof NotAllowed) {
    problems.push(refusalOf(`${title} ${key}`, value, result));
    return;
  }
  const isOther = option.default !== undefined && result !== option.read(option.default);
  const warning =
    option.ignored !== undefined && isOther
      ? `has no effect: ${option.ignored}`
      : option.warning?.(value ?? 'true');
  if (warning !== undefined) warnings.push(`${title} ${key} ${warning}`);
  const before = (given.get(key) ?? []) as readonly unknown[];
  given.set(key, option.repeatable ? [...new Set([...before, result])] : result);
}

function valuesOf<S extends Section>(section: S, given: Given): ValuesOf<S> {
  const rows = Object.entries<Option>(OPTIONS[section]).filter(
    ([, { access, ignored }]) => (access ?? ignored) === undefined,
  );
  const values = rows.map(([key, { read, repeatable, default: otherwise }]) => {
    const unsaid = repeatable ? [] : otherwise === undefined ? undefined : read(otherwise);
    return [camel(key), given.get(key) ?? unsaid] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ValuesOf<S>;
}

function accessIn(given: Given): Access {
  const found = Object.entries<Option>(OPTIONS.Global).flatMap(([key, { access }]) =>
    access !== undefined && given.has(key) ? [[access, String(given.get(key))]] : [],
  );
  return Object.fromEntries(found) as Access;
}
