import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';

export const CLASS = 'loadbalancer.openstack.org/class';

type Field = keyof LoadBalancerConfig;

interface Group {
  readonly annotations: readonly string[];
  readonly fields: readonly Field[];
}

/** Groups of settings that belong together: the first source with any of them decides the whole group. */
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
 * cloud.conf as it holds for one Service: annotations go first, then the class that the Service names, then
 * [LoadBalancer]. In the Go provider the class goes first, for external Services only (docs/sources/go-provider.md,
 * "Classes").
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

/** Whether the Service carries one of these annotations of the Go provider, whatever its value. */
function hasAnnotation(annotations: Readonly<Record<string, string>>, names: readonly string[]): boolean {
  return names.some((name) => annotations[`loadbalancer.openstack.org/${name}`] !== undefined);
}

function without(loadBalancer: LoadBalancerConfig, fields: readonly Field[]): LoadBalancerConfig {
  const rest = Object.entries(loadBalancer).filter(([field]) => !fields.includes(field as Field));
  return Object.fromEntries(rest) as unknown as LoadBalancerConfig;
}

/**
 * The Problem of an unknown class. It blocks: without the class the VIP's subnet is not known, and a VIP cannot move.
 */
function unknownClass(name: string, { loadBalancerClasses }: Config): Problem {
  const names = Object.keys(loadBalancerClasses).sort();
  const there = names.length > 0 ? names.join(', ') : 'none';
  const message = `is no [LoadBalancerClass "..."] of cloud.conf, which has ${there}; levelset changes nothing until it is`;
  return { field: CLASS, value: name, message, blocking: true };
}

/** The prefix of kinx's annotations (docs/sources/kinx.md, "Annotations of kinx"). */
export const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';

/** An annotation that kinx's successor writes for its own use. It sets nothing. */
export const KINX_LOAD_BALANCER_ID = `${KINX}id`;

export function isOfKinx(annotation: string): boolean {
  return annotation.startsWith(KINX) && annotation !== KINX_LOAD_BALANCER_ID;
}

/**
 * Defaults of kinx that differ from the Go provider's: whether and how often members are checked (docs/sources/kinx.md,
 * "Defaults of kinx").
 */
const DEFAULTS: Partial<LoadBalancerConfig> = {
  createMonitor: true,
  monitorDelay: 5,
  monitorTimeout: 5,
  monitorMaxRetries: 3,
};

/** The configuration with kinx's defaults for options that cloud.conf does not set. */
export function withKinxDefaults(config: Config): Config {
  const unset = Object.entries(DEFAULTS).filter(([option]) => config.given?.includes(option) !== true);
  return { ...config, loadBalancer: { ...config.loadBalancer, ...Object.fromEntries(unset) } };
}
