import type { WrittenPlan } from '../memory/load-balancers.ts';
import type { Config } from '../config/config.ts';
import type { Node } from '../model/kubernetes.ts';
import { locateNodes, type HasAddress, type JudgedNodes } from '../model/node/judged-nodes.ts';
import { isEligible } from '../model/node/node-set.ts';
import { hasOnlyPods, podAddresses, type Endpoints } from '../model/load-balancer/observed-service.ts';
import type { NetworkQuestion } from '../model/network/network-facts.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Depth, ServiceObject } from '../model/service-object.ts';
import { offerQuestion } from './desired/desire-load-balancer.ts';
import { memberAddresses } from './desired/desire-security-group.ts';
import { doubtful, selectNodes } from './desired/member-nodes.ts';
import { certificateQuestion, secretsOf } from './desired/certificates.ts';
import { choosesFloatingSubnet } from './desired/desire-floating-ip.ts';
import { internalOf, wantsFloatingIP, type ServiceIntent, type Reading } from './intent/service-intent.ts';
import type { Question } from './observe/questions.ts';
import { wantsLoadBalancer, whyReleased } from './service-object.ts';

export interface Asking {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly isOfNode: HasAddress;
  readonly depth: Depth;
  readonly written: WrittenPlan | undefined;
  readonly config: Config;
}

/** What to read for one Service. If the Service wants no load balancer, only what it has is read. */
export function questionOf(
  about: Asking,
  loadBalancer: WireResource | undefined,
  { intent: read, config: own, asNew, approved }: Reading,
): Question {
  const { object, nodes, judged, config } = about;
  const intent = object.wanted ? read : undefined;
  const managed = config.loadBalancer.manageSecurityGroups;
  const offers =
    (of: Config, isMade: boolean): Question['offers'] =>
    (octavia) =>
      intent
        ? offerQuestion(intent, { ...octavia, provider: of.loadBalancer.lbProvider }, isMade)
        : { flavors: false, zones: false };
  const mayBeReplaced = approved.length > 0 || loadBalancer?.['provisioning_status'] === 'ERROR';
  return {
    ...about,
    asksFor: (service) => {
      if (whyReleased(service, config)) return 'unknown';
      if (!wantsLoadBalancer(service, config)) return undefined;
      const { internal, internalByConfig } = internalOf(service, config);
      return internalByConfig ? 'internal by config' : internal ? 'internal' : 'external';
    },
    network: intent && ((endpoints) => networkQuestion(intent, endpoints)),
    locate: () => {
      const keptOut = new Set(doubtful(judged));
      const selected = intent ? selectNodes(nodes, intent.nodeSelector ?? {}).nodes : [];
      return locateNodes(selected.filter(isEligible), judged).filter(({ address }) => !keptOut.has(address));
    },
    securityGroup: {
      ...judged,
      managed,
      addresses: (subnet, endpoints) =>
        managed && intent ? memberAddresses(nodes, subnet, intent, endpoints) : [],
    },
    offers: loadBalancer ? offers(own, true) : offers(asNew, false),
    offersIfReplaced: intent && mayBeReplaced ? offers(asNew, false) : undefined,
    certificates: certificateQuestion(intent, own),
    secrets: intent ? secretsOf(intent) : [],
    namesSecrets: read !== undefined && secretsOf(read).length > 0,
  };
}

/** What to look up in Neutron. The IP addresses of Pods count if all members are Pods. */
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
