import { portKeyOf } from '../../model/address.ts';
import {
  lackingIn,
  versionInWords,
  type Capability,
  type OctaviaVersion,
  rulesHoldSourceRanges,
} from '../../model/load-balancer/octavia.ts';
import { isRecord } from '../../model/json.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { valueIn, type Spelling } from '../intent/read-annotations.ts';
import { ANNOTATIONS, NEEDS } from '../intent/annotations.ts';
import type { Port } from '../intent/ports.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import type { Config } from '../../config/config.ts';
import {
  familyOf,
  hasAdditionalVips,
  servedFamilies,
  type Family,
  type NetworkFacts,
  type NoVipSubnet,
} from '../../model/network/network-facts.ts';
import { ANNOTATION_PREFIX } from '../../model/annotation-prefixes.ts';
import { fieldOf } from '../intent/effective-values.ts';

export interface Ability extends OctaviaVersion {
  readonly provider: string;
}

interface Able {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/**
 * What this cloud cannot do has no effect and is a Problem, but not what levelset sets by itself (`implied`). What guards, such as `vip_sg_ids` or
 * TLS, blocks: without it the load balancer would be less safe than the user wants. A port that needs the attribute (`drops`) is left out.
 */
export function withinCapabilities(
  desired: readonly DesiredResource[],
  ability: Ability,
  ports: readonly Pick<Port, 'at' | 'spelled'>[] = [],
): Able {
  const { minor, provider } = ability;
  const missing = lackingIn(provider, minor);
  const problems = new Map<string, Problem>();
  const dropped = new Set<string>();
  const resources = desired
    .filter(({ kind }) => provider !== 'ovn' || (kind !== 'l7policy' && kind !== 'l7rule'))
    .map((resource) => {
      const attributes = new Map<string, unknown>(Object.entries(resource.attributes));
      const portKey = portKeyOf(resource.address);
      for (const capability of missing) {
        const { kind, attribute, values, at, instead } = capability;
        const value = attributes.get(attribute);
        if (kind !== resource.kind || value === undefined) continue;
        if (at !== undefined && !portKey.startsWith(`${at}/`)) continue;
        if (values && !values.includes(isRecord(value) ? value['type'] : value)) continue;
        if (capability.drops) dropped.add(portKey);
        else if (instead === undefined) attributes.delete(attribute);
        else attributes.set(attribute, instead);
        const port = ports.find((one) => one.at === portKey);
        const setters = ANNOTATIONS.filter(({ becomes }) => becomes === `${kind}.${attribute}`);
        const [spelled] = setters.flatMap(({ on, sets }) => port?.spelled[`${on}.${sets}`] ?? []);
        if (!spelled && capability.implied) continue;
        const problem = notMet(capability, value, ability, spelled);
        problems.set(`${problem.field} ${problem.value} ${problem.message}`, problem);
      }
      return { ...resource, attributes: Object.fromEntries(attributes) };
    });
  return {
    resources: resources.filter(({ address }) => !dropped.has(portKeyOf(address))),
    problems: [...problems.values()],
  };
}

function notMet(
  { kind, attribute, since = 0, instead, guards, drops }: Capability,
  value: unknown,
  ability: Ability,
  spelled: Spelling | undefined,
): Problem {
  const why =
    ability.minor < since
      ? `needs Octavia API 2.${since}, and ${versionInWords(ability)}`
      : `cannot be done by the provider ${ability.provider}`;
  const without =
    (instead ?? null) === null ? 'levelset ignores it' : `levelset uses ${textOf(instead)} instead`;
  const done = guards
    ? 'while it is set, the Service is blocked'
    : drops
      ? 'levelset leaves out the port'
      : without;
  return {
    field: spelled?.name ?? `${kind} ${attribute}`,
    value: spelled?.text ?? textOf(value),
    message: `${why}; ${done}`,
    ...(guards ? { blocking: true as const } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Values that switch something off. They are no Problem if no port makes use of them. */
const OFF: readonly unknown[] = [undefined, false, null, 'NONE'];

/** A Problem for each annotation of which no port makes use, since something that it needs is missing. */
export function uselessSettings({ ports }: Pick<ServiceIntent, 'ports'>): readonly Problem[] {
  return ANNOTATIONS.flatMap((row) => {
    const { on, sets, needs, unused } = row;
    const spelled = (needs.length === 0 ? [] : ports).flatMap((port) => {
      const spelling = port.spelled[`${on}.${sets}`];
      const missing = needs.find((need) => !port.meets.has(need));
      return spelling ? [{ spelling, missing, isOff: OFF.includes(valueIn(port, row)) }] : [];
    });
    const used = new Set(spelled.flatMap(({ spelling, missing }) => (missing ? [] : [spelling.name])));
    const found = spelled.flatMap(({ spelling: { name: field, text: value }, missing, isOff }) => {
      if (!missing || isOff || used.has(field)) return [];
      const what = `needs ${NEEDS[missing]}`;
      return unused === 'blocks'
        ? [
            {
              field,
              value,
              message: `${what}; until there is one, the Service is blocked, since people may rely on it`,
              blocking: true as const,
            },
          ]
        : [{ field, value, message: `${what}; levelset ignores it` }];
    });
    return [...new Map(found.map((problem) => [problem.field, problem])).values()];
  });
}

interface CloudSeen {
  readonly facts: NetworkFacts;
  readonly served: readonly Family[];
  readonly octavia: OctaviaVersion;
}

/** Problems of what the project cannot see, of an unknown VIP subnet, and of unenforceable ranges. All but a QoS policy's block. */
export function networkProblems(intent: ServiceIntent, input: CloudSeen, config: Config): readonly Problem[] {
  const { facts } = input;
  const { vip_network_id, vip_port_id, vip_qos_policy_id } = intent.annotated.loadbalancer;
  const problems: Problem[] = facts.missing.map((value) => {
    const message = 'is not visible to the project of cloud.conf; until it is, the Service is blocked';
    return { field: whatNames(value, intent), value, message, blocking: true };
  });
  if (vip_qos_policy_id !== undefined && facts.noQosPolicy) {
    const message =
      'is not visible to the project of cloud.conf, or Neutron has no QoS; levelset leaves the VIP port as it is';
    problems.push({ field: `${ANNOTATION_PREFIX}vip-qos-policy-id`, value: vip_qos_policy_id, message });
  }
  const isPlaced = facts.vipSubnet ?? facts.noVipSubnet ?? vip_network_id ?? vip_port_id;
  if (isPlaced === undefined && facts.missing.length === 0) {
    const message =
      'is needed: levelset cannot choose the subnet of the VIP by the Nodes, since none that can be a member has an address in exactly one subnet that the project sees; name a subnet here, or as subnet-id in cloud.conf; until then the Service is blocked';
    problems.push({ field: SUBNET, value: '', message, blocking: true });
  }
  const why = intent.allowed_cidrs && whyUnenforceable(intent, input, config);
  if (typeof why === 'string') {
    const message = `cannot be enforced ${why}; rather than open the ports to everybody, the Service is blocked`;
    const value = (intent.allowed_cidrs ?? []).join(',');
    problems.push({ field: 'spec.loadBalancerSourceRanges', value, message, blocking: true });
  }
  return problems;
}

function whatNames(id: string, intent: ServiceIntent): string {
  const { annotated } = intent;
  const spelled = Object.values(annotated.spelled).find(
    (one) =>
      one?.ignored !== true &&
      one?.text
        .toLowerCase()
        .split(/[\s,]+/)
        .includes(id),
  );
  const [annotation] = ANNOTATIONS.find((row) => valueIn(annotated, row) === id)?.names ?? [];
  return spelled?.name ?? (annotation ? fieldOf(annotation, intent) : 'subnet, network or security group id');
}

/** Octavia checks a range by the primary VIP's family, and writes rules for all (decision 13). With the user's own groups it takes no ranges. */
function whyUnenforceable(
  intent: ServiceIntent,
  { octavia, served }: CloudSeen,
  { loadBalancer: config }: Config,
): string | undefined {
  if (rulesHoldSourceRanges(config)) return undefined;
  const { lbProvider } = config;
  if (lbProvider === 'ovn' || octavia.major !== 2 || octavia.minor < 12)
    return `by this cloud (${versionInWords(octavia).replace('this cloud has', 'Octavia API')}, provider ${lbProvider})`;
  if (served.length > 1) return 'on a load balancer with IPv4 and IPv6 addresses';
  return intent.annotated.loadbalancer.vip_sg_ids === undefined
    ? undefined
    : 'together with vip-sg-ids, whose security groups say who may connect';
}

const ADDITIONAL = `${ANNOTATION_PREFIX}additional-vip-subnet-ids`;
const SUBNET = 'loadbalancer.openstack.org/subnet-id';

/**
 * A Service without a VIP of any of its families is blocked. RequireDualStack blocks before the load balancer is made; an existing one serves on.
 * A Service that joins a load balancer has no say in its VIPs.
 */
export function familyProblems(
  intent: ServiceIntent,
  facts: NetworkFacts,
  octavia: OctaviaVersion,
  joins: boolean,
): readonly Problem[] {
  const { families, annotated, service } = intent;
  const { vips, vipSubnet, noVipSubnet, additionalSubnets = [] } = facts;
  const { additionalVipSubnetIds: further } = annotated.Service;
  const served = servedFamilies(intent, facts, octavia);
  const lacking = families.filter((family) => !served.includes(family));
  const field = 'spec.ipFamilies';
  if (lacking.length === families.length) {
    const message =
      !vips && noVipSubnet
        ? `has no VIP: ${whyNot(noVipSubnet, SUBNET)}; the Service is blocked`
        : `is not what the load balancer has, which is ${named(served)} and cannot change; the Service is blocked`;
    return [{ field, value: named(families), message, blocking: true }];
  }
  const problems = lacking.flatMap((family) => notServed(family, intent, facts, octavia, joins));
  for (const { id, network_id } of vips ? [] : additionalSubnets) {
    if (!vipSubnet || network_id === vipSubnet.network_id) continue;
    // all VIPs are IP addresses of one port
    const message = `is a subnet of network ${network_id}, and the VIP is in ${vipSubnet.network_id}: all VIPs are of one network; the Service is blocked`;
    problems.push({ field: ADDITIONAL, value: id, message, blocking: true });
  }
  if (further?.length && !vips && !hasAdditionalVips(octavia)) {
    const message = `needs Octavia API 2.26, and ${versionInWords(octavia)}; levelset ignores it`;
    problems.push({ field: ADDITIONAL, value: further.join(','), message });
  }
  // what cloud.conf says about floating IPs is no Problem
  const ofFloatingIP = families.includes(4)
    ? []
    : ANNOTATIONS.flatMap(({ names, needs }) => (needs.includes('floating-ip') ? names : []));
  for (const name of ofFloatingIP) {
    const value = service.metadata.annotations?.[name];
    const message = 'is ignored: there are no floating IPs of IPv6, and the address is the VIP';
    if (value !== undefined) problems.push({ field: name, value, message });
  }
  // VIPs of a family that the Service does not name, or no longer names, answer, but are not published
  const left = joins || further !== undefined ? [] : (vips ?? []);
  for (const vip of left.filter((one) => !families.includes(familyOf(one)))) {
    const message = `does not name the family of ${vip}, which the load balancer keeps, since a VIP cannot be removed; levelset does not publish it`;
    problems.push({ field, value: named(families), message });
  }
  return problems;
}

const named = (families: readonly Family[]): string => families.map((family) => `IPv${family}`).join(', ');

function notServed(
  family: Family,
  { service, families }: ServiceIntent,
  { vips, noVipSubnet, additionalSubnets = [] }: NetworkFacts,
  octavia: OctaviaVersion,
  joins: boolean,
): readonly Problem[] {
  const { ipFamilyPolicy: value = '' } = service.spec;
  const because = !hasAdditionalVips(octavia)
    ? `needs Octavia API 2.26, and ${versionInWords(octavia)}`
    : noVipSubnet && whyNot(noVipSubnet, ADDITIONAL);
  // for a load balancer that exists, the plan itself says that it gets no further VIP
  if (!joins && because === undefined && vips && additionalSubnets.length > 0) return [];
  const why = joins
    ? 'the load balancer, which is shared, has none'
    : (because ?? 'there is no subnet for it');
  const blocks = !joins && value === 'RequireDualStack' && !vips;
  const others = families.filter((other) => other !== family);
  const then = blocks ? 'the Service is blocked' : `the Service is served by ${named(others)} only`;
  const message = `has no IPv${family} address: ${why}; ${then}`;
  return [{ field: 'spec.ipFamilyPolicy', value, message, ...(blocks ? { blocking: true } : {}) }];
}

function whyNot({ family, network_id, candidates }: NoVipSubnet, annotation: string): string {
  if (candidates.length === 0) return `the network ${network_id} has no IPv${family} subnet`;
  if (candidates.length === 1)
    return `the Service is internal, and subnet ${candidates.join()} has global addresses: name it in ${annotation} if it may have one`;
  return `the network ${network_id} has several IPv${family} subnets (${candidates.join(', ')}): name one in ${annotation}`;
}
