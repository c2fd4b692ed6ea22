import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import { KINX, OCCM } from '../../model/annotation-prefixes.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';

export const CLASS = `${OCCM}class`;

type Field = keyof LoadBalancerConfig;

/** Groups of settings that belong together: the first source with any of them decides the whole group. */
const GROUPS: readonly { readonly annotations: readonly string[]; readonly fields: readonly Field[] }[] = [
  { annotations: ['subnet-id', 'network-id', 'port-id'], fields: ['subnetId', 'networkId'] },
  {
    annotations: ['floating-subnet-id', 'floating-subnet', 'floating-subnet-tags'],
    fields: ['floatingSubnetId', 'floatingSubnet', 'floatingSubnetTags'],
  },
];

/** Where the options of [LoadBalancer] that hold for one Service stand, by field; those without an entry have their default. */
export interface Origins {
  readonly by: Readonly<Partial<Record<Field, string>>>;
  readonly overruled: readonly Problem[];
}

/** Annotations, then the named class, then [LoadBalancer]. OCCM's class goes first, for external Services only (docs/sources/occm.md, "Classes"). */
export function configOf(
  service: Pick<Service, 'metadata'>,
  config: Config,
): { readonly config: Config; readonly origins: Origins; readonly problems: readonly Problem[] } {
  const annotations = service.metadata.annotations ?? {};
  // an empty class is none (docs/sources/occm.md, "Classes")
  const name = annotations[CLASS]?.trim() ?? '';
  const known = name !== '' && Object.hasOwn(config.loadBalancerClasses, name);
  const chosen = known ? (config.loadBalancerClasses[name] ?? {}) : {};
  const { loadBalancer, given = [] } = config;
  const options: Partial<Record<Field, unknown>> = { ...loadBalancer };
  const by = new Map(given.map((field) => [field as Field, `cloud.conf ${keyOf(field)}`]));
  const overruled: Problem[] = [];
  const overrule = (field: Field, first: string): void => {
    const from = by.get(field);
    const { [field]: option = null } = options;
    Reflect.deleteProperty(options, field);
    if (!by.delete(field) || from === undefined) return;
    const value = typeof option === 'string' ? option : JSON.stringify(option);
    overruled.push({
      field: optionPlace(from, field),
      value,
      message: `has no effect: ${first} goes first`,
    });
  };
  for (const { fields } of GROUPS) {
    if (fields.some((field) => field in chosen)) for (const field of fields) overrule(field, `class ${name}`);
  }
  for (const [field, option] of Object.entries(chosen) as [Field, unknown][]) {
    overrule(field, `class ${name}`);
    by.set(field, `class ${name}`);
    options[field] = option;
  }
  for (const { annotations: names, fields } of GROUPS) {
    // an empty id says none (annotations.md), and an empty choice nothing
    const isSaid = (one: string): boolean =>
      annotations[one] !== undefined && (one.endsWith('-id') || annotations[one].trim() !== '');
    const deciding = names.map((one) => OCCM + one).find(isSaid);
    if (deciding !== undefined) for (const field of fields) overrule(field, `annotation ${deciding}`);
  }
  const whole = { ...config, loadBalancer: options as LoadBalancerConfig };
  return {
    config: Object.keys(annotations).some(isOfKinx) ? withKinxDefaults(whole) : whole,
    origins: { by: Object.fromEntries(by), overruled },
    problems: name === '' || known ? [] : [unknownClass(name, config)],
  };
}

/** Where an option stands, by what set it: the class alone does not say which of its options. */
export function optionPlace(from: string, field: string): string {
  return from.startsWith('class ') ? `${from} ${keyOf(field)}` : from;
}

function keyOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** It blocks: without the class the VIP's subnet is not known, and a VIP cannot move. */
function unknownClass(name: string, { loadBalancerClasses }: Config): Problem {
  const names = Object.keys(loadBalancerClasses).sort();
  const there = names.length > 0 ? names.join(', ') : 'none';
  const message = `is not a [LoadBalancerClass "..."] of cloud.conf, which has ${there}; until it is, the Service is blocked`;
  return { field: CLASS, value: name, message, blocking: true };
}

/** An annotation that kinx's successor writes for its own use. It sets nothing. */
export const KINX_LOAD_BALANCER_ID = `${KINX}id`;

export function isOfKinx(annotation: string): boolean {
  return annotation.startsWith(KINX) && annotation !== KINX_LOAD_BALANCER_ID;
}

/** How kinx checks members where nothing else is said (docs/sources/kinx.md, "Defaults of kinx"). */
export const KINX_CHECKS = { monitorDelay: 5, monitorTimeout: 5, monitorMaxRetries: 3 };

/** With kinx's defaults of health checks, unless cloud.conf sets them. */
export function withKinxDefaults(config: Config, further: Partial<LoadBalancerConfig> = {}): Config {
  const defaults = { createMonitor: true, ...KINX_CHECKS };
  const unset = Object.entries(defaults).filter(([option]) => config.given?.includes(option) !== true);
  return { ...config, loadBalancer: { ...config.loadBalancer, ...Object.fromEntries(unset), ...further } };
}
