import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import { isOfKinx, withKinxDefaults } from './kinx.ts';
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
 * The Go provider has the first two the other way round for external Services only (openstack-ccm.md, 1.8).
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
    if (isAsked(annotations, names)) loadBalancer = without(loadBalancer, fields);
  }
  const problems = name === undefined || known ? [] : [unknownClass(name, config)];
  const whole = { ...config, loadBalancer };
  const isKinx = Object.keys(annotations).some(isOfKinx);
  return { config: isKinx ? withKinxDefaults(whole) : whole, problems };
}

/** Whether one of these annotations of the Go provider is there at all. */
export function isAsked(annotations: Readonly<Record<string, string>>, names: readonly string[]): boolean {
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
