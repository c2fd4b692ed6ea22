import { versionInWords, type OctaviaVersion } from '../../model/load-balancer/capabilities.ts';
import { ANNOTATIONS } from '../intent/annotations.ts';
import type { Config } from '../../config/config.ts';
import { familyOf, hasAdditionalVips, servedFamilies } from '../../model/network/network-facts.ts';
import type { Family, NetworkFacts, NoVipSubnet } from '../../model/network/network-facts.ts';
import { ANNOTATION_PREFIX } from '../../model/annotation-prefixes.ts';
import type { Problem } from '../../model/plan.ts';
import { rulesHoldSourceRanges } from './desire-security-group.ts';
import { optionPlace } from '../intent/service-config.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

interface Cloud {
  readonly facts: NetworkFacts;
  /** Families of the load balancer's VIPs. */
  readonly served: readonly Family[];
  readonly octavia: OctaviaVersion;
}

/**
 * Problems of what the Service names and the project cannot see, of an unknown VIP subnet, and of source ranges that
 * cannot be enforced. All of them block, except that of a QoS policy.
 */
export function networkProblems(intent: ServiceIntent, input: Cloud, config: Config): readonly Problem[] {
  const { facts } = input;
  const problems: Problem[] = facts.missing.map((id) => ({
    field: whatNames(id, intent),
    value: id,
    message: 'is not visible to the project of cloud.conf; levelset changes nothing until it is',
    blocking: true,
  }));
  const {
    vip_network_id: network,
    vip_port_id: port,
    vip_qos_policy_id: qos,
  } = intent.annotated.loadbalancer;
  if (qos !== undefined && facts.noQosPolicy) {
    const message =
      'is not visible to the project of cloud.conf, or Neutron has no QoS; levelset leaves the VIP port as it is';
    problems.push({ field: `${ANNOTATION_PREFIX}vip-qos-policy-id`, value: qos, message });
  }
  if (
    !facts.vipSubnet &&
    !facts.noVipSubnet &&
    network === undefined &&
    port === undefined &&
    facts.missing.length === 0
  ) {
    const message =
      'is needed: no Node that can be a member has an address that is in exactly one subnet that the project sees, so levelset cannot choose the subnet of the VIP; it changes nothing until then';
    problems.push({ field: 'loadbalancer.openstack.org/subnet-id', value: '', message, blocking: true });
  }
  const ranges = intent.allowed_cidrs;
  const why = ranges && whyUnenforceable(intent, input, config);
  if (typeof why === 'string') {
    problems.push({
      field: 'spec.loadBalancerSourceRanges',
      value: (ranges ?? []).join(','),
      message: `cannot be enforced ${why}; levelset changes nothing rather than open the ports to everybody`,
      blocking: true,
    });
  }
  return problems;
}

/** The annotation or the option that names an id. */
function whatNames(id: string, { annotated, origins }: ServiceIntent): string {
  const spelled = Object.values(annotated.spelled).find(
    (one) =>
      one?.ignored !== true &&
      one?.text
        .toLowerCase()
        .split(/[\s,]+/)
        .includes(id),
  );
  const values = annotated as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const { option } = ANNOTATIONS.find(({ on, sets }) => values[on]?.[sets] === id) ?? {};
  const from = option && origins.by[option];
  return spelled?.name ?? (from ? optionPlace(from, option) : 'subnet, network or security group id');
}

/**
 * Why source ranges cannot be enforced; undefined if they can. Octavia compares a range with the family of the primary
 * VIP only, and writes it as a rule for all families (decision 13). With the user's own security groups on the VIP
 * port, Octavia takes no ranges.
 */
function whyUnenforceable(
  intent: ServiceIntent,
  { octavia, served }: Cloud,
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
 * Problems of families of spec.ipFamilies that the load balancer does not have, and of VIPs of other families. A
 * Service without a VIP of any of its families is blocked. RequireDualStack blocks before the load balancer is made;
 * one that exists serves on as it is. A Service that joins a load balancer has no say in its VIPs.
 */
export function familyProblems(
  intent: ServiceIntent,
  facts: NetworkFacts,
  octavia: OctaviaVersion,
  joins: boolean,
): readonly Problem[] {
  const served = servedFamilies(intent, facts, octavia);
  const lacking = intent.families.filter((family) => !served.includes(family));
  if (lacking.length === intent.families.length) return [noneServed(intent, served, facts)];
  return [
    ...lacking.flatMap((family) =>
      joins ? [notShared(family, intent)] : notServed(family, intent, facts, octavia),
    ),
    ...strayNetworks(facts),
    ...additionalVipsTooNew(intent, facts, octavia),
    ...noFloatingIP(intent),
    ...(joins ? [] : left(intent, facts)),
  ];
}

const named = (families: readonly Family[]): string => families.map((family) => `IPv${family}`).join(', ');

function noneServed(
  intent: ServiceIntent,
  served: readonly Family[],
  { noVipSubnet, vips }: NetworkFacts,
): Problem {
  const message =
    !vips && noVipSubnet
      ? `has no VIP: ${whyNot(noVipSubnet, SUBNET)}; levelset changes nothing`
      : `is not what the load balancer has, which is ${named(served)} and cannot change; levelset changes nothing`;
  return { field: 'spec.ipFamilies', value: named(intent.families), message, blocking: true };
}

function notServed(
  family: Family,
  { service, families }: ServiceIntent,
  { vips, noVipSubnet, additionalSubnets = [] }: NetworkFacts,
  octavia: OctaviaVersion,
): readonly Problem[] {
  const { ipFamilyPolicy: policy } = service.spec;
  const why = !hasAdditionalVips(octavia)
    ? `needs Octavia API 2.26, and ${versionInWords(octavia)}`
    : noVipSubnet && whyNot(noVipSubnet, ADDITIONAL);
  // for a load balancer that exists, the plan itself says that it gets no further VIP
  if (why === undefined && vips && additionalSubnets.length > 0) return [];
  const blocks = policy === 'RequireDualStack' && !vips;
  const others = families.filter((other) => other !== family);
  const message = `has no IPv${family} address: ${why ?? 'there is no subnet for it'}; ${blocks ? 'levelset changes nothing' : `the Service is served by ${named(others)} only`}`;
  return [
    { field: 'spec.ipFamilyPolicy', value: policy ?? '', message, ...(blocks ? { blocking: true } : {}) },
  ];
}

function notShared(family: Family, { service, families }: ServiceIntent): Problem {
  const others = families.filter((other) => other !== family);
  const message = `has no IPv${family} address: the load balancer, which is shared, has none; the Service is served by ${named(others)} only`;
  return { field: 'spec.ipFamilyPolicy', value: service.spec.ipFamilyPolicy ?? '', message };
}

function whyNot({ family, network_id, candidates }: NoVipSubnet, annotation: string): string {
  if (candidates.length === 0) return `the network ${network_id} has no IPv${family} subnet`;
  if (candidates.length === 1)
    return `the Service is internal, and subnet ${candidates.join()} has global addresses: name it in ${annotation} if it may have one`;
  return `the network ${network_id} has several IPv${family} subnets (${candidates.join(', ')}): name one in ${annotation}`;
}

/** Problems of additional subnets in another network than the VIP: all VIPs are IP addresses of one port. */
function strayNetworks({ vips, vipSubnet, additionalSubnets = [] }: NetworkFacts): readonly Problem[] {
  const stray = vips
    ? []
    : additionalSubnets.filter(({ network_id }) => vipSubnet && network_id !== vipSubnet.network_id);
  return stray.map(({ id, network_id }) => {
    const message = `is a subnet of network ${network_id}, and the VIP is in ${vipSubnet?.network_id ?? ''}: all VIPs are of one network; levelset changes nothing`;
    return { field: ADDITIONAL, value: id, message, blocking: true };
  });
}

function additionalVipsTooNew(
  { annotated }: ServiceIntent,
  { vips }: NetworkFacts,
  octavia: OctaviaVersion,
): readonly Problem[] {
  const { additionalVipSubnetIds: ids = [] } = annotated.Service;
  if (ids.length === 0 || hasAdditionalVips(octavia) || vips) return [];
  const message = `needs Octavia API 2.26, and ${versionInWords(octavia)}; levelset ignores it`;
  return [{ field: ADDITIONAL, value: ids.join(','), message }];
}

/**
 * Problems of annotations for a floating IP on a Service without IPv4: Neutron has no floating IPs of IPv6. What
 * cloud.conf says about floating IPs is no Problem.
 */
function noFloatingIP({ service, families }: ServiceIntent): readonly Problem[] {
  if (families.includes(4)) return [];
  const names = ANNOTATIONS.flatMap(({ names, needs }) => (needs.includes('floating-ip') ? names : []));
  return names.flatMap((field) => {
    const value = service.metadata.annotations?.[field];
    const message = 'is ignored: there are no floating IPs of IPv6, and the address is the VIP';
    return value === undefined ? [] : [{ field, value, message }];
  });
}

/**
 * Problems of VIPs of a family that the Service does not name, or no longer names: they answer, but are not published.
 */
function left({ families, annotated }: ServiceIntent, { vips = [] }: NetworkFacts): readonly Problem[] {
  if (annotated.Service.additionalVipSubnetIds !== undefined) return [];
  return vips
    .filter((vip) => !families.includes(familyOf(vip)))
    .map((vip) => {
      const message = `does not name the family of ${vip}, which the load balancer keeps, since a VIP cannot be removed; levelset does not publish it`;
      return { field: 'spec.ipFamilies', value: named(families), message };
    });
}
