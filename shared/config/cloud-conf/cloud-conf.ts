import type { Access } from '../clouds/access.ts';
import type { LoadBalancerClassConfig, LoadBalancerConfig, NetworkingConfig } from '../config.ts';
import { parseGcfg } from './gcfg.ts';
import { CLASS_FIELDS, LOAD_BALANCER_OPTIONS, networkingConfig, readGlobal } from './options.ts';
import { isReadSection, readEntry } from './read-entry.ts';

export interface CloudConf {
  readonly access: Access;
  readonly useClouds: boolean;
  readonly cloudsFile?: string;
  readonly cloud?: string;
  readonly requestTimeoutMs?: number;
  /** Options that are not in the file have their default. */
  readonly loadBalancer: LoadBalancerConfig;
  /** The options of [LoadBalancer] that are in the file. */
  readonly given: readonly string[];
  readonly loadBalancerClasses: Readonly<Record<string, LoadBalancerClassConfig>>;
  readonly networking: NetworkingConfig;
  readonly routerId?: string;
  /** Everything that keeps levelset from using the file, one line each; never a secret. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The values of a section by key. Two sections of one name are one. */
type Values = Map<string, unknown>;

/** Reads cloud.conf (docs/sources/go-provider.md, "cloud.conf"). `file` is its name in messages. Never throws. */
export function readCloudConf(source: string, file: string): CloudConf {
  const { sections, problems: broken } = parseGcfg(source);
  const problems = broken.map(({ line, message }) => `${file}:${line}: ${message}`);
  const warnings: string[] = [];
  const ofBalancers: string[] = [];
  const plain = new Map<string, Values>();
  const classes = new Map<string, Values>();
  for (const section of sections) {
    if (!isReadSection(section, file, warnings)) continue;
    const { name, subsection } = section;
    const values = subsection === undefined ? valuesOf(plain, name) : valuesOf(classes, subsection);
    const findings = { problems: name.startsWith('loadbalancer') ? ofBalancers : problems, warnings };
    for (const entry of section.entries) {
      const value = readEntry(section, entry, file, findings, values.get(entry.key));
      if (value !== undefined) values.set(entry.key, value);
    }
  }

  const at = (section: string, key: string): unknown => plain.get(section)?.get(key);
  const textAt = (key: string): string | undefined => nonEmpty(at('global', key));
  // Where levelset makes no load balancer, nothing of these sections is used.
  (at('loadbalancer', 'enabled') === false ? warnings : problems).push(...ofBalancers);
  const cloudsFile = textAt('clouds-file');
  const cloud = textAt('cloud');
  const timeout = at('metadata', 'request-timeout');
  const routerId = nonEmpty(at('route', 'router-id'));
  return {
    access: readGlobal(textAt),
    useClouds: at('global', 'use-clouds') === true,
    ...(cloudsFile === undefined ? {} : { cloudsFile }),
    ...(cloud === undefined ? {} : { cloud }),
    ...(typeof timeout === 'number' ? { requestTimeoutMs: timeout } : {}),
    loadBalancer: loadBalancerConfig((key) => at('loadbalancer', key)),
    given: givenOptions((key) => at('loadbalancer', key)),
    loadBalancerClasses: Object.fromEntries([...classes].map(([name, values]) => [name, classOf(values)])),
    networking: networkingConfig((key) => at('networking', key)),
    ...(routerId === undefined ? {} : { routerId }),
    problems,
    warnings,
  };
}

/** [LoadBalancer] with its defaults. `value` returns what cloud.conf has for a key. */
export function loadBalancerConfig(value: (key: string) => unknown = () => undefined): LoadBalancerConfig {
  const fields = Object.entries(LOAD_BALANCER_OPTIONS).map(([field, option]): [string, unknown] => {
    const set = value(option.key);
    return [field, set === undefined || set === '' ? option.default : set];
  });
  return Object.fromEntries(fields.filter(([, set]) => set !== undefined)) as unknown as LoadBalancerConfig;
}

function givenOptions(value: (key: string) => unknown): readonly string[] {
  return Object.entries(LOAD_BALANCER_OPTIONS)
    .filter(([, { key }]) => value(key) !== undefined && value(key) !== '')
    .map(([field]) => field);
}

/**
 * The options of one class, without defaults: an option that the class does not have is that of
 * [LoadBalancer].
 */
function classOf(values: Values): LoadBalancerClassConfig {
  const fields = CLASS_FIELDS.map((field) => [field, nonEmpty(values.get(LOAD_BALANCER_OPTIONS[field].key))]);
  return Object.fromEntries(fields.filter(([, set]) => set !== undefined)) as LoadBalancerClassConfig;
}

function valuesOf(sections: Map<string, Values>, name: string): Values {
  const values = sections.get(name) ?? new Map<string, unknown>();
  sections.set(name, values);
  return values;
}

function nonEmpty(value: unknown): string | undefined {
  const text = typeof value === 'boolean' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
