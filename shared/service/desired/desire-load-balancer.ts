import type { Config } from '../../config/config.ts';
import {
  describe,
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
} from '../../model/ownership.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { attributeSince } from '../../model/load-balancer/capabilities.ts';
import type { OctaviaVersion } from '../../model/load-balancer/capabilities.ts';
import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { Ability } from './within-capabilities.ts';
import { familyOf, hasAdditionalVips } from '../../model/network/network-facts.ts';
import type { Family, NetworkFacts, Subnet } from '../../model/network/network-facts.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../../model/resources.ts';
import { withoutUndefined } from '../../model/json.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { isIP } from 'node:net';
import { canonicalAddress, cidrContains } from '../../model/network/cidr.ts';
import type { Problem } from '../../model/plan.ts';

interface Asked {
  readonly attributes: Partial<LoadBalancer>;
  readonly problems: readonly Problem[];
}

interface Placed {
  readonly cluster: ClusterIdentity;
  readonly facts: NetworkFacts;
  readonly octavia: OctaviaVersion;
  readonly offers?: Offers;
}

export function desireLoadBalancer(
  intent: ServiceIntent,
  { cluster, facts, octavia, offers = {} }: Placed,
  config: Config,
): { readonly loadBalancer: DesiredResource<'loadbalancer'>; readonly problems: readonly Problem[] } {
  const { service, annotated } = intent;
  const { vip_qos_policy_id, vip_sg_ids } = annotated.loadbalancer;
  const { description, tags } = annotated.Service;
  const key = keyOf(service);
  const name = loadBalancerName(cluster.name, key);
  const vips = desireVips(intent, facts, octavia);
  const offered = desireOffers(intent, offers);
  const loadBalancer: DesiredResource<'loadbalancer'> = {
    kind: 'loadbalancer',
    address: 'lb',
    attributes: {
      name,
      description: describe(description, loadBalancerDescription(cluster.name, key)),
      provider: config.loadBalancer.lbProvider,
      admin_state_up: true,
      ...vips.attributes,
      ...offered.attributes,
      ...withoutUndefined({
        vip_qos_policy_id: facts.noQosPolicy ? undefined : vip_qos_policy_id,
        vip_sg_ids,
      }),
      tags: [
        clusterTag(cluster),
        serviceTag(service.metadata.uid),
        nameTag(key),
        name,
        ...userTags(key, tags),
      ],
    },
  };
  return { loadBalancer, problems: [...vips.problems, ...offered.problems] };
}

/**
 * Subnets and IP addresses of the VIPs. If the Service names a port, that is the VIP port, but Octavia also wants the
 * subnet.
 */
export function desireVips(
  intent: ServiceIntent,
  { vipSubnet, additionalSubnets = [] }: NetworkFacts,
  octavia: { readonly minor: number },
): Asked {
  const { vip_port_id, vip_network_id } = intent.annotated.loadbalancer;
  const additional = hasAdditionalVips(octavia) ? additionalSubnets : [];
  const { address, subnet: asked, problems } = requestedAddress(intent, vipSubnet, additional);
  const isPrimary = !asked || asked === vipSubnet || vip_port_id !== undefined;
  const additional_vips = additional.map((subnet) => ({
    subnet_id: subnet.id,
    ...(address !== undefined && !isPrimary && subnet === asked ? { ip_address: address } : {}),
  }));
  return {
    attributes: withoutUndefined({
      vip_port_id,
      vip_subnet_id: vipSubnet?.id,
      vip_network_id: vip_port_id === undefined ? vip_network_id : undefined,
      vip_address: isPrimary ? address : undefined,
      additional_vips: additional.length === 0 ? undefined : additional_vips,
    }),
    problems,
  };
}

interface RequestedAddress {
  /** The IP address as OpenStack spells it; absent if none is asked for, or none can be. */
  readonly address?: string;
  /** The subnet that has it, if one does. */
  readonly subnet?: Subnet | undefined;
  readonly problems: readonly Problem[];
}

/**
 * spec.loadBalancerIP as a VIP: of an internal Service, or if it is an IPv6 address. Otherwise it names a floating IP.
 * A value that cannot be a VIP blocks.
 */
function requestedAddress(
  { service, internal, families }: ServiceIntent,
  vipSubnet: Subnet | undefined,
  additional: readonly Subnet[],
): RequestedAddress {
  const { loadBalancerIP: value = '' } = service.spec;
  const problems = loadBalancerIPProblems(service, families);
  const family = familyOf(value);
  if (value === '' || problems.length > 0 || (!internal && family === 4)) return { problems };
  const subnets = [...(vipSubnet ? [vipSubnet] : []), ...additional].filter(
    ({ cidr }) => familyOf(cidr) === family,
  );
  const subnet = subnets.find(({ cidr }) => cidrContains(cidr, value)) ?? subnets[0];
  if (!subnet?.slaac) return { address: canonicalAddress(value), subnet, problems };
  const why = `cannot be requested: in the subnet ${subnet.id} (${subnet.cidr}) ports make their own addresses`;
  return { problems: wrongAddress(value, why) };
}

/** What is wrong with spec.loadBalancerIP by itself. */
export function loadBalancerIPProblems({ spec }: Service, families: readonly Family[]): readonly Problem[] {
  const { loadBalancerIP: value = '' } = spec;
  if (value === '') return [];
  if (isIP(value) === 0) return wrongAddress(value, 'must be an IP address');
  if (families.includes(familyOf(value))) return [];
  return wrongAddress(value, `must be of a family of the Service: IPv${families.join(' or IPv')}`);
}

function wrongAddress(value: string, what: string): readonly Problem[] {
  const message = `${what}; levelset changes nothing until then`;
  return [{ field: 'spec.loadBalancerIP', value, message, blocking: true }];
}

const FLAVOR = 'levelset.openstack.org/flavor';
const FLAVOR_ID = 'loadbalancer.openstack.org/flavor-id';
const ZONE = 'loadbalancer.openstack.org/availability-zone';

/**
 * Whether observing has to list flavors and zones: flavors if the Service has the annotation `flavor`, and before the
 * load balancer exists also for a flavor id; zones only before the load balancer exists. The provider ovn has neither,
 * and an older Octavia may not.
 */
export function offerQuestion(
  intent: ServiceIntent | undefined,
  { minor, provider }: Ability,
  isMade: boolean,
): OfferQuestion {
  const { flavor } = intent?.annotated.Service ?? {};
  const { flavor_id, availability_zone } = intent?.annotated.loadbalancer ?? {};
  const able = provider !== 'ovn';
  return {
    flavors:
      able &&
      minor >= attributeSince('loadbalancer', 'flavor_id') &&
      (flavor !== undefined || (flavor_id !== undefined && !isMade)),
    zones:
      able &&
      minor >= attributeSince('loadbalancer', 'availability_zone') &&
      availability_zone !== undefined &&
      !isMade,
  };
}

/**
 * The ids of flavor and zone. A flavor or zone that Octavia does not offer blocks a new load balancer, since neither
 * can change later. A load balancer that exists stays as it is.
 */
export function desireOffers(
  { annotated, service }: ServiceIntent,
  { flavors, zones, isMade = false }: Offers,
): Asked {
  const annotations = service.metadata.annotations ?? {};
  const { flavor = annotated.loadbalancer.flavor_id } = annotated.Service;
  const { availability_zone: zone } = annotated.loadbalancer;
  const flavorField = fieldOf([FLAVOR, FLAVOR_ID], 'flavor-id', annotations);
  const zoneField = fieldOf([ZONE], 'availability-zone', annotations);
  const chosen = choose(flavorField, flavor, flavors, isMade);
  const placed = choose(zoneField, zone, zones, isMade);
  return {
    attributes: withoutUndefined({ flavor_id: chosen.id, availability_zone: placed.id }),
    problems: [...chosen.problems, ...placed.problems, ...secondFlavor(annotations)],
  };
}

function fieldOf(
  names: readonly string[],
  option: string,
  annotations: Readonly<Record<string, string>>,
): string {
  return names.find((name) => annotations[name] !== undefined) ?? `${option} in cloud.conf`;
}

interface Choice {
  readonly id?: string;
  readonly problems: readonly Problem[];
}

/** The offer with this id, else with this name. Without a list of offers the text counts as the id. */
function choose(
  field: string,
  text: string | undefined,
  offered: readonly Offer[] | undefined,
  isMade: boolean,
): Choice {
  if (text === undefined) return { problems: [] };
  if (!offered) return { id: text, problems: [] };
  const byId = offered.filter(({ id }) => id === text.toLowerCase());
  const found = byId.length > 0 ? byId : offered.filter(({ name }) => name === text);
  const [one, other] = found;
  if (one?.enabled && !other) return { id: one.id, problems: [] };
  const done = isMade ? 'levelset ignores it' : 'levelset makes no load balancer until it is';
  return {
    problems: [
      {
        field,
        value: text,
        message: `${why(found, offered)}; ${done}`,
        ...(isMade ? {} : { blocking: true }),
      },
    ],
  };
}

const MOST_NAMED = 10;

function why(found: readonly Offer[], offered: readonly Offer[]): string {
  if (found.length > 1) return `is the name of ${found.length} of them: name one by its id (${idsOf(found)})`;
  if (found.length === 1) return 'is not enabled by the operator of Octavia';
  const names = offered.filter(({ enabled }) => enabled).map(({ name }) => name);
  if (names.length === 0) return 'must be one that Octavia offers, and it offers none';
  const more = names.length > MOST_NAMED ? ', ...' : '';
  return `must be one that Octavia offers: ${names.sort().slice(0, MOST_NAMED).join(', ')}${more}`;
}

function idsOf(offers: readonly Offer[]): string {
  return offers
    .map(({ id }) => id)
    .sort()
    .join(', ');
}

function secondFlavor(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const { [FLAVOR]: first, [FLAVOR_ID]: second } = annotations;
  if (first === undefined || second === undefined || first.trim() === second.trim()) return [];
  return [{ field: FLAVOR_ID, value: second, message: `is ignored: ${FLAVOR} sets the same` }];
}
