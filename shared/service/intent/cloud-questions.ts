/** What observing has to look up in the cloud for one Service. */
import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import { requestedFloatingIP } from '../../model/kubernetes.ts';
import type { Service } from '../../model/kubernetes.ts';
import { hasOnlyPods, podAddresses } from '../../model/load-balancer/service-endpoints.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { JoinIntent } from '../../model/load-balancer/shared-load-balancer.ts';
import { mayJoin } from '../../model/load-balancer/reach.ts';
import type { NetworkQuestion } from '../../model/network/network-facts.ts';
import { LOAD_BALANCER_ADDRESS, sharedTag } from '../../model/ownership.ts';
import type { CertificateQuestion } from '../../model/tls/certificate-facts.ts';
import { parseTlsReference } from '../../model/tls/certificate-facts.ts';
import { readSetting } from './read-annotations.ts';
import type { Annotated } from './read-annotations.ts';
import { internalOf, wantsFloatingIP } from './service-intent.ts';
import type { ServiceIntent } from './service-intent.ts';

/**
 * What to look up in Neutron: the subnets, networks, ports, security groups and policies that the Service names, its
 * families, its wish for a floating IP, and the IP addresses of its Pods if all its members are Pods.
 */
export function networkQuestion(intent: ServiceIntent, endpoints?: Endpoints): NetworkQuestion {
  const { loadbalancer, floatingip, Service } = intent.annotated;
  return {
    vip_subnet_id: loadbalancer.vip_subnet_id,
    vip_network_id: loadbalancer.vip_network_id,
    vip_port_id: loadbalancer.vip_port_id,
    additional_vip_subnet_ids: Service.additionalVipSubnetIds ?? [],
    vip_qos_policy_id: loadbalancer.vip_qos_policy_id,
    vip_sg_ids: loadbalancer.vip_sg_ids,
    member_subnet_id: Service.memberSubnetId,
    pod_addresses: hasOnlyPods(intent.service) ? podAddresses(endpoints) : undefined,
    floating_network_id: floatingip.floating_network_id,
    floating_subnet_id: floatingip.subnet_id,
    choose_floating_subnet: choosesFloatingSubnet(intent),
    external: wantsFloatingIP(intent),
    keeps_floating_ip: intent.keepFloatingip,
    only_own_floating_ip: intent.onlyOwnFloatingIP,
    floating_ip_allowed: intent.floatingIPAllowed,
    families: intent.families,
    stays_inside: intent.internal && intent.service.spec.ipFamilyPolicy === 'PreferDualStack',
  };
}

interface SubnetChoice {
  readonly annotated: Pick<Annotated, 'floatingip' | 'Service'>;
  readonly service: Pick<Service, 'spec'>;
}

/**
 * Whether the floating IP's subnet is chosen by its name or its tags. The id of a subnet goes first, and so does an IP
 * address in spec.loadBalancerIP.
 */
export function choosesFloatingSubnet({ annotated, service }: SubnetChoice): boolean {
  const { floatingip, Service } = annotated;
  if (requestedFloatingIP(service) !== undefined) return false;
  const { floatingSubnet = '', floatingSubnetTags = '' } = Service;
  return !floatingip.subnet_id && floatingSubnet + floatingSubnetTags !== '';
}

/** Settings of a port that name something in Barbican. */
export type BarbicanSetting = 'tlsReferences' | 'clientCa' | 'clientCrl' | 'poolCa' | 'poolCertificate';

const BARBICAN_SETTINGS = [
  'tlsReferences',
  'clientCa',
  'clientCrl',
  'poolCa',
  'poolCertificate',
] as const satisfies readonly BarbicanSetting[];

/** The store to which references to certificates lead: Barbican, or another one that levelset does not read. */
export type CertificateStore = LoadBalancerConfig['containerStore'];

/**
 * What to look up in Barbican: the references of the ports. None without an intent, or if another store is configured.
 */
export function certificateQuestion(
  intent: Pick<ServiceIntent, 'ports'> | undefined,
  config: Config,
): CertificateQuestion {
  if (!intent || config.loadBalancer.containerStore === 'external') return { references: [] };
  // a list for all ports is one list
  const settings = intent.ports.flatMap(({ ServicePort }) =>
    BARBICAN_SETTINGS.map((setting) => ServicePort[setting] ?? []),
  );
  const texts = [...new Set(settings)].flat();
  return { references: [...new Set(texts)].flatMap((text) => parseTlsReference(text) ?? []) };
}

/**
 * What to look up in Octavia: the load balancer that the Service is to share with others (decision 20). It is read
 * before the rest of the intent, because who made the load balancer decides how the intent is read.
 */
export function joinIntent(service: Service, config: Config): JoinIntent {
  const id = readSetting(service, 'loadBalancerId', config) ?? '';
  const name = readSetting(service, 'loadBalancerName', config);
  const { namespace, annotations = {} } = service.metadata;
  return {
    ...(id === '' ? {} : { id }),
    noted: annotations[LOAD_BALANCER_ADDRESS] !== undefined,
    ...(name === undefined ? {} : { tag: sharedTag(namespace, name) }),
    internal: internalOf(service, config).internal,
    limit: config.loadBalancer.maxSharedLb,
    hasConsent: (loadBalancer) => mayJoin(config, namespace, loadBalancer),
  };
}
