import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';

export const CLASS = 'loadbalancer.openstack.org/class';

type Field = keyof LoadBalancerConfig;

interface Group {
  readonly annotations: readonly string[];
  readonly fields: readonly Field[];
}

/** What says one thing together: the first source that says any of it says all of it, so that nothing is half of each. */
const GROUPS: readonly Group[] = [
  {
    annotations: ['subnet-id', 'network-id', 'port-id'],
    fields: ['subnetId', 'networkId'],
  },
  {
    annotations: ['floating-subnet-id', 'floating-subnet', 'floating-subnet-tags'],
    fields: ['floatingSubnetId', 'floatingSubnet', 'floatingSubnetTags'],
  },
];

/**
 * cloud.conf as it holds for one Service: its own annotations come first, then the class it picks, then [LoadBalancer].
 * The Go provider has the first two the other way round for external Services only (docs/sources/go-provider.md, "Classes").
 */
export function configOf(
  service: Pick<Service, 'metadata'>,
  config: Config,
): { readonly config: Config; readonly problems: readonly Problem[] } {
  const annotations = service.metadata.annotations ?? {};
  const name = annotations[CLASS]?.trim();
  const known = name !== undefined && Object.hasOwn(config.loadBalancerClasses, name);
  const chosen = known ? (config.loadBalancerClasses[name] ?? {}) : {};
  let loadBalancer: LoadBalancerConfig = { ...config.loadBalancer };
  for (const { fields } of GROUPS) {
    if (fields.some((field) => field in chosen)) loadBalancer = without(loadBalancer, fields);
  }
  loadBalancer = { ...loadBalancer, ...chosen };
  for (const { annotations: names, fields } of GROUPS) {
    if (hasAnnotation(annotations, names)) loadBalancer = without(loadBalancer, fields);
  }
  const problems = name === undefined || known ? [] : [unknownClass(name, config)];
  const whole = { ...config, loadBalancer };
  const isKinx = Object.keys(annotations).some(isOfKinx);
  return { config: isKinx ? withKinxDefaults(whole) : whole, problems };
}

/** Whether one of these annotations of the Go provider is there at all. */
function hasAnnotation(annotations: Readonly<Record<string, string>>, names: readonly string[]): boolean {
  return names.some((name) => annotations[`loadbalancer.openstack.org/${name}`] !== undefined);
}

function without(loadBalancer: LoadBalancerConfig, fields: readonly Field[]): LoadBalancerConfig {
  const rest = Object.entries(loadBalancer).filter(([field]) => !fields.includes(field as Field));
  return Object.fromEntries(rest) as unknown as LoadBalancerConfig;
}

/** Where the address would come from is not known, and it cannot move later. */
function unknownClass(name: string, { loadBalancerClasses }: Config): Problem {
  const names = Object.keys(loadBalancerClasses).sort();
  const there = names.length > 0 ? `it has ${names.join(', ')}` : 'it has none';
  const message = `is no [LoadBalancerClass "..."] of cloud.conf: ${there}; nothing is changed until it is`;
  return { field: CLASS, value: name, message, blocking: true };
}

/** What a Service that was written for kinx expects (docs/sources/kinx.md, "Annotations of kinx"). */

/** How its annotations begin. */
export const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';

/** Written by its successor for its own use, never a wish. */
export const KINX_LOAD_BALANCER_ID = `${KINX}id`;

export function isOfKinx(annotation: string): boolean {
  return annotation.startsWith(KINX) && annotation !== KINX_LOAD_BALANCER_ID;
}

/**
 * Where kinx had other defaults than the Go provider (docs/sources/kinx.md, "Defaults of kinx"): members are checked,
 * and so often.
 */
const DEFAULTS: Partial<LoadBalancerConfig> = {
  createMonitor: true,
  monitorDelay: 5,
  monitorTimeout: 5,
  monitorMaxRetries: 3,
};

/** The configuration with what kinx takes where the same cloud.conf is silent. */
export function withKinxDefaults(config: Config): Config {
  const unset = Object.entries(DEFAULTS).filter(([option]) => config.given?.includes(option) !== true);
  return { ...config, loadBalancer: { ...config.loadBalancer, ...Object.fromEntries(unset) } };
}
