import { parseCidr } from '../../model/network/cidr.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Family } from '../../model/network/network-facts.ts';
import { problemForEach, type Problem } from '../../model/plan.ts';
import { tooMany, type Factor } from '../../model/load-balancer/reach-and-limits.ts';

export interface SourceRanges {
  readonly field: string;
  readonly texts: readonly string[];
  /** Those that are CIDRs, as Octavia spells them: sorted, each once. */
  readonly cidrs: readonly string[];
  readonly unreadable: readonly string[];
  readonly tooMany?: Problem;
}

export const EVERYBODY: Readonly<Record<Family, string>> = { 4: '0.0.0.0/0', 6: '::/0' };

export function readSourceRanges(
  { spec }: Pick<Service, 'spec'>,
  annotated: readonly string[],
  config: Factor,
): SourceRanges {
  const ofSpec = spec.loadBalancerSourceRanges ?? [];
  const isOfSpec = ofSpec.length > 0;
  const texts = isOfSpec ? ofSpec : annotated;
  const field = isOfSpec
    ? 'spec.loadBalancerSourceRanges'
    : 'service.beta.kubernetes.io/load-balancer-source-ranges';
  const { length } = texts;
  const tooMuch =
    tooMany(field, 'entries', length, config) ??
    tooMany(field, 'openings', length * (spec.ports ?? []).length, config);
  if (tooMuch) return { field, texts: [], cidrs: [], unreadable: [], tooMany: tooMuch };
  const read = texts.map((text) => ({ text, cidr: parseCidr(text) }));
  return {
    field,
    texts,
    cidrs: [...new Set(read.flatMap(({ cidr }) => cidr?.text ?? []))].sort(),
    unreadable: read.flatMap(({ text, cidr }) => (cidr ? [] : [text])),
  };
}

/** The ranges that count for a load balancer with addresses of these families; null: everybody may connect. */
export function allowedRanges(
  { field, texts, cidrs: all, unreadable, tooMany: tooMuch }: SourceRanges,
  families: readonly Family[],
): { readonly cidrs: readonly string[] | null; readonly problems: readonly Problem[] } {
  if (tooMuch) return { cidrs: [], problems: [tooMuch] };
  const isServed = (cidr: string): boolean => families.includes(cidr.includes(':') ? 6 : 4);
  const cidrs = all.filter(isServed);
  const others = cidrs.length === all.length ? [] : all.filter((cidr) => !isServed(cidr));
  const problems = [
    ...problemForEach(unreadable, (value) => ({
      field,
      value,
      message: 'must be a CIDR such as 192.0.2.0/24; levelset ignores it',
    })),
    ...problemForEach(others, (value) => ({
      field,
      value,
      message: `is ignored: the load balancer has an IPv${families.join(' or IPv')} address only`,
    })),
  ];
  if (cidrs.length === 0) {
    const message =
      'none of these ranges can be enforced; rather than open the ports to everybody, the Service is blocked';
    return { cidrs: [], problems: [...problems, { field, value: texts.join(','), message, blocking: true }] };
  }
  const isOpen = families.every((family) => cidrs.includes(EVERYBODY[family]));
  return { cidrs: isOpen ? null : cidrs, problems };
}
