import { parseCidr } from '../../model/network/cidr.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Family } from '../../model/network/network-facts.ts';
import type { Problem } from '../../model/plan.ts';

interface SourceRanges {
  /** The ranges that may connect; null: everybody may. Over a family without a range here, nobody may. */
  readonly cidrs: readonly string[] | null;
  readonly problems: readonly Problem[];
}

export const EVERYBODY: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

/** The ranges of spec.loadBalancerSourceRanges, else of the annotation, if they are of these families. */
export function readSourceRanges(
  service: Pick<Service, 'spec'>,
  annotated: readonly string[],
  families: readonly Family[],
): SourceRanges {
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
    if (cidr && families.includes(cidr.family)) cidrs.push(cidr.text);
    else {
      const message = cidr
        ? `is ignored: the load balancer has an IPv${families.join(' or IPv')} address only`
        : 'must be a CIDR such as 192.0.2.0/24; levelset ignores it';
      problems.push({ field, value: text, message });
    }
  }
  if (cidrs.length === 0) {
    const message =
      'none of these ranges can be enforced; levelset changes nothing rather than open the ports to everybody';
    return { cidrs: [], problems: [...problems, { field, value: texts.join(','), message, blocking: true }] };
  }
  const isOpen = (family: Family): boolean => cidrs.includes(EVERYBODY[family]);
  return { cidrs: families.every(isOpen) ? null : [...new Set(cidrs)].sort(), problems };
}
