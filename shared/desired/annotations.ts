import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import { ANNOTATION_PREFIX, LOAD_BALANCER_ADDRESS, LOAD_BALANCER_ID } from '../model/ownership.ts';
import type { Problem } from '../model/plan.ts';
import type { ResourceKind, ResourceTypes } from '../model/resources.ts';
import { bool, hostname, integer, oneOf, uuid, words } from './parsers.ts';
import type { Parser } from './parsers.ts';

interface RowBase<T> {
  readonly key: string;
  readonly parse: Parser<NoInfer<T>>;
  /** The value without the annotation, and again when it is removed; undefined: not ours to set. */
  readonly otherwise: (config: Config) => T | undefined;
  readonly doc: string;
}

/** Sets an attribute of every resource of one kind. */
type AttributeRow = {
  [K in ResourceKind]: {
    [A in keyof ResourceTypes[K]]: RowBase<ResourceTypes[K][A]> & { readonly on: K; readonly sets: A };
  }[keyof ResourceTypes[K]];
}[ResourceKind];

/** Everything that is not simply an attribute: read by the builders of desired/. */
export interface Settings {
  internal: boolean;
  keepFloatingip: boolean;
  monitor: boolean;
  hostname: string;
  sourceRanges: readonly string[];
}

type SettingRow = { [S in keyof Settings]: RowBase<Settings[S]> & { readonly setting: S } }[keyof Settings];

const OCCM = 'loadbalancer.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';
const none = () => undefined;

/** THE TABLE: which annotation sets what. Keys and defaults as the Go provider has them (openstack-ccm.md, 1). */
// prettier-ignore
export const ANNOTATIONS: readonly (AttributeRow | SettingRow)[] = [
  { key: `${OCCM}subnet-id`,           on: 'loadbalancer', sets: 'vip_subnet_id',       parse: uuid, otherwise: (c) => c.loadBalancer.subnetId, doc: 'Subnet of the VIP. Cannot change later.' },
  { key: `${OCCM}network-id`,          on: 'loadbalancer', sets: 'vip_network_id',      parse: uuid, otherwise: (c) => c.loadBalancer.networkId, doc: 'Network of the VIP. Cannot change later.' },
  { key: `${OCCM}member-subnet-id`,    on: 'member',       sets: 'subnet_id',           parse: uuid, otherwise: (c) => c.loadBalancer.memberSubnetId, doc: 'Subnet in which the nodes are reached; new members only.' },
  { key: `${OCCM}lb-method`,           on: 'pool',         sets: 'lb_algorithm',        parse: oneOf('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'), otherwise: (c) => c.loadBalancer.lbMethod, doc: 'How a member is chosen.' },
  { key: `${OCCM}connection-limit`,    on: 'listener',     sets: 'connection_limit',    parse: integer(-1, 1_000_000_000), otherwise: () => -1, doc: 'Connections a listener takes at once; -1 is no limit.' },
  { key: `${OCCM}floating-network-id`, on: 'floatingip',   sets: 'floating_network_id', parse: uuid, otherwise: (c) => c.loadBalancer.floatingNetworkId, doc: 'External network of the floating IP; else the only one there is.' },
  { key: `${OCCM}floating-subnet-id`,  on: 'floatingip',   sets: 'subnet_id',           parse: uuid, otherwise: (c) => c.loadBalancer.floatingSubnetId, doc: 'Subnet that gives the floating IP; new ones only.' },

  { key: `${OCCM}health-monitor-delay`,            on: 'healthmonitor', sets: 'delay',            parse: integer(1, 86_400), otherwise: (c) => c.loadBalancer.monitorDelay, doc: 'Seconds between two checks.' },
  { key: `${OCCM}health-monitor-timeout`,          on: 'healthmonitor', sets: 'timeout',          parse: integer(1, 86_400), otherwise: (c) => c.loadBalancer.monitorTimeout, doc: 'Seconds a check may take.' },
  { key: `${OCCM}health-monitor-max-retries`,      on: 'healthmonitor', sets: 'max_retries',      parse: integer(1, 10), otherwise: (c) => c.loadBalancer.monitorMaxRetries, doc: 'Good checks until a member counts as up.' },
  { key: `${OCCM}health-monitor-max-retries-down`, on: 'healthmonitor', sets: 'max_retries_down', parse: integer(1, 10), otherwise: (c) => c.loadBalancer.monitorMaxRetriesDown, doc: 'Bad checks until a member counts as down.' },

  { key: `${OCCM}enable-health-monitor`,            setting: 'monitor',        parse: bool,     otherwise: (c) => c.loadBalancer.createMonitor, doc: 'Whether members are checked.' },
  { key: `${LEGACY}openstack-internal-load-balancer`, setting: 'internal',     parse: bool,     otherwise: (c) => c.loadBalancer.internalLb, doc: 'No floating IP: the address is the VIP.' },
  { key: `${OCCM}keep-floatingip`,                  setting: 'keepFloatingip', parse: bool,     otherwise: () => false, doc: 'The floating IP outlives the Service.' },
  { key: `${OCCM}hostname`,                         setting: 'hostname',       parse: hostname, otherwise: none, doc: 'Published in the status in place of the address.' },
  { key: `${LEGACY}load-balancer-source-ranges`,    setting: 'sourceRanges',   parse: words,    otherwise: none, doc: 'CIDRs that may connect; spec.loadBalancerSourceRanges goes first.' },
];

/** Written by us, never a wish. */
const OUTPUT = [LOAD_BALANCER_ID, LOAD_BALANCER_ADDRESS];
const PREFIXES = [OCCM, `${LEGACY}openstack-`, `${LEGACY}kinx-load-balancer-`, ANNOTATION_PREFIX];

export interface Annotated {
  readonly attributes: { readonly [K in ResourceKind]: Partial<ResourceTypes[K]> };
  readonly settings: Partial<Settings>;
  readonly problems: readonly Problem[];
}

/** All annotations of a Service at once: what is right counts, what is wrong becomes a Problem and its default. */
export function readAnnotations(service: Pick<Service, 'metadata'>, config: Config): Annotated {
  const annotations = service.metadata.annotations ?? {};
  const attributes: Record<ResourceKind, Record<string, unknown>> = {
    loadbalancer: {},
    listener: {},
    pool: {},
    member: {},
    healthmonitor: {},
    floatingip: {},
  };
  const settings: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const row of ANNOTATIONS) {
    const text = annotations[row.key];
    let value: unknown = row.otherwise(config);
    if (text !== undefined) {
      const parsed = row.parse(text);
      if ('value' in parsed) value = parsed.value;
      else
        problems.push({
          field: row.key,
          value: text,
          message: `must be ${parsed.allowed}; it is not applied`,
        });
    }
    if (value === undefined) continue;
    if ('on' in row) attributes[row.on][row.sets] = value;
    else settings[row.setting] = value;
  }
  problems.push(...unknownAnnotations(annotations));
  return { attributes, settings, problems };
}

function unknownAnnotations(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const known = new Set([...ANNOTATIONS.map((row) => row.key), ...OUTPUT]);
  return Object.entries(annotations)
    .filter(([key]) => PREFIXES.some((prefix) => key.startsWith(prefix)) && !known.has(key))
    .map(([key, value]) => ({
      field: key,
      value,
      message: 'is not an annotation that this version of levelset applies; it has no effect',
    }));
}
