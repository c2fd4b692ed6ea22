import type { Config } from '../../../config/config.ts';
import type { Family, NetworkFacts } from '../../../model/network/network-facts.ts';
import { ANNOTATION_PREFIX } from '../../../model/ownership.ts';
import type { Problem } from '../../../model/plan.ts';
import { rulesHoldSourceRanges } from '../security-group.ts';
import type { ServiceIntent } from '../../intent/service-intent.ts';

interface Cloud {
  readonly facts: NetworkFacts;
  /** Families of the load balancer's VIPs. */
  readonly served: readonly Family[];
  readonly octavia: { readonly major: number; readonly minor: number };
}

/** What the cloud does not have, or cannot do, and without which nothing may be changed. */
export function networkProblems(intent: ServiceIntent, input: Cloud, config: Config): readonly Problem[] {
  const { facts } = input;
  const problems: Problem[] = facts.missing.map((id) => ({
    field: 'subnet, network or security group id',
    value: id,
    message: 'is not visible to the project of cloud.conf; nothing is changed until it is',
    blocking: true,
  }));
  const {
    vip_network_id: network,
    vip_port_id: port,
    vip_qos_policy_id: qos,
  } = intent.annotated.loadbalancer;
  if (qos !== undefined && facts.noQosPolicy) {
    const message =
      'is not visible to the project of cloud.conf, or Neutron has no QoS; the VIP port stays as it is';
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
      'is needed: no node has an address in a subnet that the project can see, so the subnet of the VIP cannot be guessed';
    problems.push({ field: 'loadbalancer.openstack.org/subnet-id', value: '', message, blocking: true });
  }
  const ranges = intent.allowed_cidrs;
  const why = ranges && whyUnenforceable(intent, input, config);
  if (typeof why === 'string') {
    problems.push({
      field: 'spec.loadBalancerSourceRanges',
      value: (ranges ?? []).join(','),
      message: `cannot be enforced ${why}, so nothing is opened`,
      blocking: true,
    });
  }
  return problems;
}

/**
 * Octavia compares a range with the family of the primary VIP only, and writes each as a rule for all families (decision
 * 13); with security groups of the user's own on the VIP port it takes none.
 */
function whyUnenforceable(
  intent: ServiceIntent,
  { octavia, served }: Cloud,
  { loadBalancer: config }: Config,
): string | undefined {
  if (rulesHoldSourceRanges(config)) return undefined;
  const { lbProvider } = config;
  if (lbProvider === 'ovn' || octavia.major !== 2 || octavia.minor < 12)
    return `by this cloud (Octavia API ${octavia.major}.${octavia.minor}, provider ${lbProvider})`;
  if (served.length > 1) return 'on a load balancer with IPv4 and IPv6 addresses';
  return intent.annotated.loadbalancer.vip_sg_ids === undefined
    ? undefined
    : 'together with vip-sg-ids, whose security groups say who may connect';
}
