import type { Config } from '../../config/config.ts';
import {
  describe,
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
  type ClusterIdentity,
  userTags,
} from '../../model/ownership.ts';
import type { Service } from '../../model/kubernetes.ts';
import {
  attributeSince,
  type Offer,
  type OfferQuestion,
  type Offers,
} from '../../model/load-balancer/octavia.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { Ability } from './what-this-cloud-can-do.ts';
import {
  familyOf,
  hasAdditionalVips,
  type Family,
  type NetworkFacts,
} from '../../model/network/network-facts.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../../model/resources.ts';
import { withoutUndefined } from '../../model/json.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { isIP } from 'node:net';
import { canonicalAddress, cidrContains } from '../../model/network/cidr.ts';
import type { Problem } from '../../model/plan.ts';

interface LoadBalancerPart {
  readonly attributes: Partial<LoadBalancer>;
  readonly problems: readonly Problem[];
}

export function desireLoadBalancer(
  intent: ServiceIntent,
  { facts, octavia, offers }: Pick<ObservedService, 'facts' | 'octavia' | 'offers'>,
  cluster: ClusterIdentity,
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
 * With a named port Octavia wants the subnet as well. spec.loadBalancerIP is a VIP of an internal Service, or if it is IPv6; otherwise it names a
 * floating IP. A value that cannot be a VIP blocks.
 */
export function desireVips(
  { service, internal, families, annotated }: ServiceIntent,
  { vipSubnet, additionalSubnets = [] }: NetworkFacts,
  octavia: { readonly minor: number },
): LoadBalancerPart {
  const { vip_port_id, vip_network_id } = annotated.loadbalancer;
  const { loadBalancerIP: value = '' } = service.spec;
  const additional = hasAdditionalVips(octavia) ? additionalSubnets : [];
  const problems = [...loadBalancerIPProblems(service, families)];
  const family = familyOf(value);
  const isAsked = value !== '' && problems.length === 0 && (internal || family === 6);
  const fitting = [...(vipSubnet ? [vipSubnet] : []), ...additional].filter(
    ({ cidr }) => isAsked && familyOf(cidr) === family,
  );
  const asked = fitting.find(({ cidr }) => cidrContains(cidr, value)) ?? fitting[0];
  if (asked?.slaac) {
    const why = `cannot be chosen: in the subnet ${asked.id} (${asked.cidr}) ports make their own addresses (SLAAC); remove it, or name another subnet`;
    problems.push(...wrongAddress(value, why));
  }
  const address = isAsked && !asked?.slaac ? canonicalAddress(value) : undefined;
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

export function loadBalancerIPProblems({ spec }: Service, families: readonly Family[]): readonly Problem[] {
  const { loadBalancerIP: value = '' } = spec;
  if (value === '') return [];
  if (isIP(value) === 0) return wrongAddress(value, 'must be an IP address');
  if (families.includes(familyOf(value))) return [];
  return wrongAddress(value, `must be of a family of the Service: IPv${families.join(' or IPv')}`);
}

function wrongAddress(value: string, what: string): readonly Problem[] {
  const message = `${what}; until then the Service is blocked`;
  return [{ field: 'spec.loadBalancerIP', value, message, blocking: true }];
}

/** Flavors are read for the annotation `flavor`, and for an id before the load balancer exists; zones only before. The provider ovn has neither. */
export function offerQuestion(
  { annotated }: ServiceIntent,
  { minor, provider }: Ability,
  isMade: boolean,
): OfferQuestion {
  const { flavor_id, availability_zone } = annotated.loadbalancer;
  const has = (attribute: 'flavor_id' | 'availability_zone'): boolean =>
    provider !== 'ovn' && minor >= attributeSince('loadbalancer', attribute);
  const flavor = isMade ? annotated.Service.flavor : (annotated.Service.flavor ?? flavor_id);
  return {
    flavors: has('flavor_id') && flavor !== undefined,
    zones: has('availability_zone') && availability_zone !== undefined && !isMade,
  };
}

/** What Octavia does not offer blocks a new load balancer, since flavor and zone cannot change later. An existing one stays as it is. */
export function desireOffers(
  { annotated: { loadbalancer, Service, spelled } }: Pick<ServiceIntent, 'annotated'>,
  { flavors, zones, isMade = false }: Offers,
): LoadBalancerPart {
  const problems: Problem[] = [];
  // the offer with this id, else with this name; without a list of offers the text counts as the id
  const choose = (field: string, text?: string, offered?: readonly Offer[]): string | undefined => {
    if (text === undefined || !offered) return text;
    const byId = offered.filter(({ id }) => id === text.toLowerCase());
    const found = byId.length > 0 ? byId : offered.filter(({ name }) => name === text);
    if (found[0]?.enabled && found.length === 1) return found[0].id;
    const done = isMade ? 'levelset ignores it' : 'levelset makes no load balancer until it is';
    const message = `${why(found, offered)}; ${done}`;
    problems.push({ field, value: text, message, ...(isMade ? {} : { blocking: true }) });
    return undefined;
  };
  const { 'Service.flavor': byName, 'loadbalancer.flavor_id': byId } = spelled;
  const zoneField = spelled['loadbalancer.availability_zone']?.name ?? 'availability-zone in cloud.conf';
  const flavorField = (byName ?? byId)?.name ?? 'flavor-id in cloud.conf';
  const attributes = withoutUndefined({
    flavor_id: choose(flavorField, Service.flavor ?? loadbalancer.flavor_id, flavors),
    availability_zone: choose(zoneField, loadbalancer.availability_zone, zones),
  });
  if (byName && byId && byName.text.trim() !== byId.text.trim())
    problems.push({
      field: byId.name,
      value: byId.text,
      message: `has no effect: ${byName.name} sets the same`,
    });
  return { attributes, problems };
}

const MOST_NAMED = 10;

function why(found: readonly Offer[], offered: readonly Offer[]): string {
  const ids = found.map(({ id }) => id).sort();
  if (ids.length > 1) return `is the name of ${ids.length} of them: name one by its id (${ids.join(', ')})`;
  if (ids.length === 1) return 'is not enabled by the operator of Octavia';
  const names = offered.filter(({ enabled }) => enabled).map(({ name }) => name);
  if (names.length === 0) return 'must be one that Octavia offers, and it offers none';
  const more = names.length > MOST_NAMED ? ', ...' : '';
  return `must be one that Octavia offers: ${names.sort().slice(0, MOST_NAMED).join(', ')}${more}`;
}
