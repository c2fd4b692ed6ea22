import type { Config } from '../config/config.ts';
import type { CertificateQuestion } from '../model/certificates.ts';
import type { Service } from '../model/kubernetes.ts';
import type { NetworkQuestion } from '../model/network.ts';
import type { NodeSelector } from '../model/node-selector.ts';
import type { Problem } from '../model/plan.ts';
import { mayRefer } from '../model/reach.ts';
import { choosesFloatingSubnet } from './floating-subnet.ts';
import { readPublication } from './ingress.ts';
import type { Publication } from './ingress.ts';
import { certificateQuestion } from './certificates.ts';
import { readAnnotations } from './read-annotations.ts';
import type { Annotated } from './read-annotations.ts';
import { parseCidr } from './cidr.ts';
import { configOf } from './service-config.ts';

/** What one Service asks for, before anything is known of the cloud. */
export interface Wishes {
  readonly service: Service;
  readonly annotated: Annotated;
  readonly internal: boolean;
  readonly keepFloatingip: boolean;
  readonly publication: Publication;
  readonly nodeSelector: NodeSelector;
  readonly family: 4 | 6;
  /** Null: everybody. */
  readonly allowed_cidrs: readonly string[] | null;
  /** Of floating IPs that are there, spec.loadBalancerIP may name what was kept for this namespace, and no other. */
  readonly onlyOwnFloatingIP: boolean;
  readonly problems: readonly Problem[];
}

export function readWishes(service: Service, config: Config): Wishes {
  const classed = configOf(service, config);
  const annotated = readAnnotations(service, classed.config);
  const settings = annotated.Service;
  const family = service.spec.ipFamilies?.[0] === 'IPv6' ? 6 : 4;
  const ranges = readSourceRanges(service, settings.sourceRanges ?? [], family);
  return {
    service,
    annotated,
    // as in the Go provider, a cluster that is internal as a whole stays so (openstack-ccm.md, 1.6)
    internal: settings.internal === true || config.loadBalancer.internalLb,
    keepFloatingip: settings.keepFloatingip ?? false,
    publication: readPublication(service, annotated, config),
    nodeSelector: settings.nodeSelector ?? {},
    family,
    allowed_cidrs: ranges.cidrs,
    onlyOwnFloatingIP: !mayRefer(
      config,
      service.metadata.namespace,
      'floatingip',
      service.spec.loadBalancerIP ?? '',
    ),
    problems: [...classed.problems, ...annotated.problems, ...ranges.problems],
  };
}

/** What observe has to look up in Neutron for these wishes. */
export function networkQuestion(wishes: Wishes): NetworkQuestion {
  const { loadbalancer, floatingip, Service } = wishes.annotated;
  return {
    ...(loadbalancer.vip_subnet_id === undefined ? {} : { vip_subnet_id: loadbalancer.vip_subnet_id }),
    ...(loadbalancer.vip_network_id === undefined ? {} : { vip_network_id: loadbalancer.vip_network_id }),
    ...(Service.memberSubnetId === undefined ? {} : { member_subnet_id: Service.memberSubnetId }),
    ...(floatingip.floating_network_id === undefined
      ? {}
      : { floating_network_id: floatingip.floating_network_id }),
    ...(floatingip.subnet_id === undefined ? {} : { floating_subnet_id: floatingip.subnet_id }),
    choose_floating_subnet: choosesFloatingSubnet(wishes),
    external: wantsFloatingIP(wishes),
    ...(wishes.onlyOwnFloatingIP ? { only_own_floating_ip: true as const } : {}),
    family: wishes.family,
  };
}

/** What observe has to look up in Barbican; nothing for a Service that wants no load balancer. */
export function certificateQuestionOf(wishes: Wishes | undefined, config: Config): CertificateQuestion {
  return certificateQuestion(wishes?.annotated.ports ?? [], config.loadBalancer.containerStore);
}

/** IPv6 addresses are reached as they are (openstack-ccm.md, 1.6). */
export function wantsFloatingIP(wishes: Wishes): boolean {
  return !wishes.internal && wishes.family === 4;
}

const EVERYBODY = ['0.0.0.0/0', '::/0'];

function readSourceRanges(
  service: Service,
  annotated: readonly string[],
  family: 4 | 6,
): { readonly cidrs: readonly string[] | null; readonly problems: readonly Problem[] } {
  const spec = service.spec.loadBalancerSourceRanges ?? [];
  const field =
    spec.length > 0
      ? 'spec.loadBalancerSourceRanges'
      : 'service.beta.kubernetes.io/load-balancer-source-ranges';
  const texts = spec.length > 0 ? spec : annotated;
  if (texts.length === 0) return { cidrs: null, problems: [] };
  const problems: Problem[] = [];
  const cidrs: string[] = [];
  for (const text of texts) {
    const cidr = parseCidr(text);
    if (cidr?.family === family) cidrs.push(cidr.text);
    else {
      const message = cidr
        ? `is left out: the load balancer has an IPv${family} address only`
        : 'is left out: must be a CIDR such as 192.0.2.0/24';
      problems.push({ field, value: text, message });
    }
  }
  if (cidrs.length === 0) {
    const message =
      'none of the ranges can be enforced, so nothing is changed rather than opened to everybody';
    return { cidrs: [], problems: [...problems, { field, value: texts.join(','), message, blocking: true }] };
  }
  return {
    cidrs: cidrs.some((cidr) => EVERYBODY.includes(cidr)) ? null : [...new Set(cidrs)].sort(),
    problems,
  };
}
