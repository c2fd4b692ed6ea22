import type { Config } from '../config/config.ts';
import type { NetworkFacts } from '../model/network.ts';
import type { Problem } from '../model/plan.ts';
import { rulesHoldSourceRanges } from './security-group.ts';
import type { Wishes } from './wishes.ts';

interface Cloud {
  readonly wanted: readonly Wishes[];
  readonly facts: NetworkFacts;
  readonly octavia: { readonly major: number; readonly minor: number };
}

/** What the cloud does not have, or cannot do, and without which nothing may be changed. */
export function networkProblems(owner: Wishes, input: Cloud, config: Config): readonly Problem[] {
  const { facts, octavia } = input;
  const problems: Problem[] = facts.missing.map((id) => ({
    field: 'subnet or network id',
    value: id,
    message: 'is not visible to the project of cloud.conf; nothing is changed until it is',
    blocking: true,
  }));
  const { vip_network_id: network, vip_port_id: port } = owner.annotated.loadbalancer;
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
  const byListeners = config.loadBalancer.lbProvider !== 'ovn' && octavia.major === 2 && octavia.minor >= 12;
  const enforceable = byListeners || rulesHoldSourceRanges(config.loadBalancer);
  if (!enforceable && input.wanted.some((wishes) => wishes.allowed_cidrs !== null)) {
    problems.push({
      field: 'spec.loadBalancerSourceRanges',
      value: (owner.allowed_cidrs ?? []).join(','),
      message: `cannot be enforced by this cloud (Octavia API ${octavia.major}.${octavia.minor}, provider ${config.loadBalancer.lbProvider}), so nothing is opened`,
      blocking: true,
    });
  }
  return problems;
}
