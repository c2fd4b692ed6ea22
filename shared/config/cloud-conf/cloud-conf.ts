import type { Access } from '../clouds/access.ts';
import { isReadSection, readEntry } from './cloud-conf-sections.ts';
import type { LoadBalancerClassConfig, LoadBalancerConfig, NetworkingConfig } from '../config.ts';
import { parseGcfg } from './gcfg.ts';
import { readGlobal } from './global-options.ts';
import { CLASS_FIELDS, LOAD_BALANCER_OPTIONS } from './load-balancer-options.ts';
import { networkingConfig } from './networking-options.ts';

export interface CloudConf {
  readonly access: Access;
  readonly useClouds: boolean;
  readonly cloudsFile?: string;
  readonly cloud?: string;
  readonly requestTimeoutMs?: number;
  /** Options that are not in the file have their default. */
  readonly loadBalancer: LoadBalancerConfig;
  /** Which options of [LoadBalancer] are in the file. */
  readonly given: readonly string[];
  readonly loadBalancerClasses: Readonly<Record<string, LoadBalancerClassConfig>>;
  readonly networking: NetworkingConfig;
  readonly routerId?: string;
  /** All that keeps the file from being used, one line each; never a secret. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The values of one section by key. A section that stands there twice is one. */
type Values = Map<string, unknown>;

/** Reads cloud.conf (docs/sources/go-provider.md, "cloud.conf"). `file` is only its name in messages. Never throws. */
export function readCloudConf(source: string, file: string): CloudConf {
  const { sections, problems: broken } = parseGcfg(source);
  const problems = broken.map(({ line, message }) => `${file}:${line}: ${message}`);
  const warnings: string[] = [];
  const plain = new Map<string, Values>();
  const classes = new Map<string, Values>();
  for (const section of sections) {
    if (!isReadSection(section, file, warnings)) continue;
    const { name, subsection } = section;
    const values = subsection === undefined ? valuesOf(plain, name) : valuesOf(classes, subsection);
    for (const entry of section.entries) {
      const value = readEntry(section, entry, file, { problems, warnings }, values.get(entry.key));
      if (value !== undefined) values.set(entry.key, value);
    }
  }

  const at = (section: string, key: string): unknown => plain.get(section)?.get(key);
  const textAt = (key: string): string | undefined => nonEmpty(at('global', key));
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

/** [LoadBalancer] where nothing is set but what `value` gives. */
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

/** What a class leaves open is for [LoadBalancer] to say. */
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
  return typeof value === 'string' && value !== '' ? value : undefined;
}
