import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import { transportOf } from '../../model/address.ts';
import type { Address } from '../../model/address.ts';
import type { ResourceKind } from '../../model/resources.ts';
import { DEFAULT } from '../../model/drift.ts';
import { targetOf } from './annotation-row.ts';
import { ANNOTATIONS } from './annotations.ts';
import type { ServiceIntent } from './service-intent.ts';

interface Asked {
  readonly kind: ResourceKind;
  readonly address: Address;
  /** Absent: the resource as a whole. */
  readonly attribute?: string;
}

/** An option of [LoadBalancer]: the field of the configuration, and its key in cloud.conf. */
type Option = readonly [field: keyof LoadBalancerConfig, key: string];

const GROUPS: Option = ['manageSecurityGroups', 'manage-security-groups'];

/** The options that decide an attribute, or whether there is such a resource. */
const OPTIONS: Readonly<Partial<Record<string, Option>>> = {
  'loadbalancer.flavor_id': ['flavorId', 'flavor-id'],
  'loadbalancer.availability_zone': ['availabilityZone', 'availability-zone'],
  'listener.default_tls_container_ref': ['defaultTlsContainerRef', 'default-tls-container-ref'],
  'pool.lb_algorithm': ['lbMethod', 'lb-method'],
  healthmonitor: ['createMonitor', 'create-monitor'],
  'healthmonitor.delay': ['monitorDelay', 'monitor-delay'],
  'healthmonitor.timeout': ['monitorTimeout', 'monitor-timeout'],
  'healthmonitor.max_retries': ['monitorMaxRetries', 'monitor-max-retries'],
  'healthmonitor.max_retries_down': ['monitorMaxRetriesDown', 'monitor-max-retries-down'],
  'floatingip.floating_network_id': ['floatingNetworkId', 'floating-network-id'],
  securitygroup: GROUPS,
  securitygrouprule: GROUPS,
  'port.security_groups': GROUPS,
};

/** The fields of the Service, or what else of the cluster, from which an attribute or a resource follows. */
const FIELDS: Readonly<Partial<Record<string, string>>> = {
  listener: 'spec.ports',
  'listener.protocol': 'spec.ports',
  'listener.protocol_port': 'spec.ports',
  'listener.allowed_cidrs': 'spec.loadBalancerSourceRanges',
  'listener.default_pool_id': 'spec.ports',
  pool: 'spec.ports',
  'pool.protocol': 'spec.ports',
  'pool.session_persistence': 'spec.sessionAffinity',
  member: 'the Nodes or Pods behind spec.ports',
  'member.address': 'the Nodes or Pods behind spec.ports',
  'member.protocol_port': 'spec.ports',
  'member.monitor_port': 'spec.externalTrafficPolicy',
  'member.backup': 'spec.externalTrafficPolicy',
  loadbalancer: 'spec.type',
  port: 'spec.type',
  floatingip: 'spec.type',
  'floatingip.port_id': 'spec.type',
  'floatingip.fixed_ip_address': 'spec.type',
  'floatingip.floating_ip_address': 'spec.loadBalancerIP',
};

/**
 * Who asks for an attribute or a resource: an annotation of the Service, a field of it, an option of cloud.conf, or levelset's own
 * default. For people.
 */
export function askedBy(asked: Asked, intent: ServiceIntent, config: Pick<Config, 'given'>): string {
  const name = asked.attribute === undefined ? asked.kind : `${asked.kind}.${asked.attribute}`;
  if (asked.attribute === 'tags') return 'the record of levelset';
  const annotation = annotationOf(asked, name, intent);
  if (annotation !== undefined) return `annotation ${annotation}`;
  const [field, key = ''] = OPTIONS[name] ?? [];
  if (field !== undefined && config.given?.includes(field)) return `cloud.conf ${key}`;
  return FIELDS[name] ?? DEFAULT;
}

/** The annotation of the Service that counts for an attribute; for a whole resource the one that asks for such. */
function annotationOf(
  { kind, address, attribute }: Asked,
  name: string,
  { service, annotated }: ServiceIntent,
): string | undefined {
  const target = attribute === undefined ? WHOLE[kind] : name;
  if (target === undefined) return undefined;
  const rows = ANNOTATIONS.filter((row) => targetOf(row)?.join('.') === target);
  const place = address.split('/').slice(1, 3).join('/');
  const index = (service.spec.ports ?? []).findIndex(
    ({ protocol = 'TCP', port }) => `${transportOf(protocol)}/${port}` === place,
  );
  const spelled = annotated.ports[index]?.spelled ?? {};
  const ofPort = rows.flatMap(({ on, sets }) => spelled[`${on}.${sets}`]?.name ?? [])[0];
  const given = service.metadata.annotations ?? {};
  return ofPort ?? rows.flatMap(({ names }) => names).find((one) => given[one] !== undefined);
}

/** The attribute whose annotation asks for a resource of the kind. */
const WHOLE: Readonly<Partial<Record<ResourceKind, string>>> = {
  healthmonitor: 'healthmonitor.type',
  l7policy: 'l7policy.action',
  l7rule: 'l7policy.action',
};
