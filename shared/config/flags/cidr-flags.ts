import { parseCidr, type Cidr } from '../../model/network/cidr.ts';

/** A flag of one CIDR, or of two of different families with a comma between; without it none. */
export function cidrsFlag(name: string, value: string | undefined, problems: string[]): readonly Cidr[] {
  const words = (value ?? '').split(',').filter((word) => word.trim() !== '');
  const cidrs = words.flatMap((word) => parseCidr(word) ?? []);
  const families = new Set(cidrs.map(({ family }) => family));
  if (cidrs.length === words.length && families.size === cidrs.length) return cidrs;
  const allowed = 'a CIDR such as 10.244.0.0/16, or one of each family with a comma between';
  problems.push(`--${name} is ${allowed}, not ${JSON.stringify(value)}`);
  return [];
}
