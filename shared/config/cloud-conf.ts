import type { Access } from './access.ts';
import type { LoadBalancerConfig } from './config.ts';
import { didYouMean } from './did-you-mean.ts';
import { parseGcfg, type GcfgEntry, type GcfgSection } from './gcfg.ts';
import { ACCESS_KEYS, readGlobal } from './global-options.ts';
import { LOAD_BALANCER_OPTIONS, UNUSED_OPTIONS } from './load-balancer-options.ts';
import { flag, milliseconds, NotAllowed, text, type Read } from './option.ts';

export interface CloudConf {
  readonly access: Access;
  readonly useClouds: boolean;
  readonly cloudsFile?: string;
  readonly cloud?: string;
  readonly requestTimeoutMs?: number;
  /** Options that are not in the file have their default. */
  readonly loadBalancer: LoadBalancerConfig;
  /** All that keeps the file from being used, one line each; never a secret. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const LOAD_BALANCER_KEYS: readonly { readonly key: string; readonly read: Read<unknown> }[] = [
  ...Object.values(LOAD_BALANCER_OPTIONS),
  ...UNUSED_OPTIONS,
];

/** Sections whose keys are known here. */
const KEYS: Readonly<Record<string, ReadonlyMap<string, Read<unknown>>>> = {
  global: new Map<string, Read<unknown>>([
    ...ACCESS_KEYS.map((key): [string, Read<unknown>] => [key, text]),
    ['use-clouds', flag],
    ['clouds-file', text],
    ['cloud', text],
  ]),
  loadbalancer: new Map(LOAD_BALANCER_KEYS.map(({ key, read }) => [key, read])),
  metadata: new Map<string, Read<unknown>>([
    ['search-order', text],
    ['request-timeout', milliseconds],
  ]),
};

/** For others that read the same file, or for work that levelset does not do. */
const IGNORED = ['networking', 'route', 'blockstorage'];
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

/** Reads cloud.conf (openstack-ccm.md, 2). `file` is only its name in messages. Never throws. */
export function readCloudConf(source: string, file: string): CloudConf {
  const { sections, problems: broken } = parseGcfg(source);
  const problems = broken.map(({ line, message }) => `${file}:${line}: ${message}`);
  const warnings: string[] = [];
  const values = new Map<string, unknown>();
  for (const section of sections) {
    if (!isReadSection(section, file, warnings)) continue;
    for (const entry of section.entries) readEntry(section, entry, file, { values, problems, warnings });
  }

  const at = (section: string, key: string): unknown => values.get(`${section}.${key}`);
  const textAt = (key: string): string | undefined => nonEmpty(at('global', key));
  const cloudsFile = textAt('clouds-file');
  const cloud = textAt('cloud');
  const timeout = at('metadata', 'request-timeout');
  return {
    access: readGlobal(textAt),
    useClouds: at('global', 'use-clouds') === true,
    ...(cloudsFile === undefined ? {} : { cloudsFile }),
    ...(cloud === undefined ? {} : { cloud }),
    ...(typeof timeout === 'number' ? { requestTimeoutMs: timeout } : {}),
    loadBalancer: loadBalancerConfig((key) => at('loadbalancer', key)),
    problems,
    warnings,
  };
}

/** [LoadBalancer] where nothing is set but what `value` gives. */
export function loadBalancerConfig(value: (key: string) => unknown = () => undefined): LoadBalancerConfig {
  const fields = Object.entries(LOAD_BALANCER_OPTIONS).map(([field, option]): [string, unknown] => {
    const set = value(option.key);
    return [field, set === undefined || set === '' ? option.default : set];
  });
  return Object.fromEntries(fields.filter(([, set]) => set !== undefined)) as unknown as LoadBalancerConfig;
}

interface Sink {
  readonly values: Map<string, unknown>;
  readonly problems: string[];
  readonly warnings: string[];
}

function isReadSection(section: GcfgSection, file: string, warnings: string[]): boolean {
  const { name, subsection, line } = section;
  if (IGNORED.includes(name)) return false;
  const title = TITLES.get(name);
  if (KEYS[name] !== undefined && subsection === undefined) return true;
  const why =
    title === undefined
      ? `[${name}] is not a known section and is ignored${didYouMean(name, SECTIONS)}`
      : name === 'loadbalancerclass'
        ? `[${title}] is not used by levelset yet`
        : `[${title}] has no subsections; this one is ignored`;
  warnings.push(`${file}:${line}: ${why}`);
  return false;
}

function readEntry(section: GcfgSection, entry: GcfgEntry, file: string, sink: Sink): void {
  const { key, value, line } = entry;
  const title = TITLES.get(section.name) ?? section.name;
  const place = `${file}:${line}: [${title}] ${key}`;
  const known = KEYS[section.name];
  const read = known?.get(key);
  if (known === undefined || read === undefined) {
    const hint = didYouMean(key, [...(known?.keys() ?? [])]);
    sink.warnings.push(`${place} is not a known option and is ignored${hint}`);
    return;
  }
  const result = read(value);
  if (result instanceof NotAllowed) {
    // Only options that are no secrets can have a value that is not allowed.
    const shown = value === undefined ? ' has no value' : ` = ${JSON.stringify(value)} is not allowed`;
    sink.problems.push(`${place}${shown}: give ${result.allowed}`);
    return;
  }
  sink.values.set(`${section.name}.${key}`, result);
  const unused =
    section.name === 'loadbalancer' ? UNUSED_OPTIONS.find((option) => option.key === key) : undefined;
  if (unused !== undefined && result !== unused.default && result !== '') {
    sink.warnings.push(`${place} is not used by levelset yet`);
  }
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
