import { parseCidr, type Cidr } from '../model/cidr.ts';
import { booleanFlag, type Flags } from './flags.ts';
import type { NodeCidrConfig } from './node-config.ts';

/** As in kube-controller-manager. */
const MASK_SIZES = { 4: 24, 6: 64 } as const;

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

/** `--allocate-node-cidrs` and what it needs to know; nothing when it is off. */
export function nodeCidrConfig(
  flags: Flags,
  clusterCidrs: readonly Cidr[],
  problems: string[],
): { readonly nodeCidrs?: NodeCidrConfig } {
  const on = booleanFlag('allocate-node-cidrs', flags.allocateNodeCidrs, false, problems);
  const services = cidrsFlag('service-cluster-ip-range', flags.serviceClusterIpRange, problems);
  if (!on) return {};
  if (clusterCidrs.length === 0 && flags.clusterCidr === undefined)
    problems.push('--allocate-node-cidrs needs --cluster-cidr: what Nodes get is a part of it');
  if (clusterCidrs.length > 1 && flags.nodeCidrMaskSize !== undefined)
    problems.push(
      '--node-cidr-mask-size is for one --cluster-cidr; for two there are --node-cidr-mask-size-ipv4 and -ipv6',
    );
  const ranges = clusterCidrs.map((cidr) => ({
    clusterCidr: cidr.text,
    family: cidr.family,
    maskSize: maskSize(flags, cidr, problems),
  }));
  return { nodeCidrs: { ranges, serviceCidrs: services.map(({ text }) => text) } };
}

function maskSize(flags: Flags, { text, family }: Cidr, problems: string[]): number {
  const [name, own] =
    family === 4
      ? ['node-cidr-mask-size-ipv4', flags.nodeCidrMaskSizeIpv4]
      : ['node-cidr-mask-size-ipv6', flags.nodeCidrMaskSizeIpv6];
  const given = own ?? flags.nodeCidrMaskSize;
  const shown = given !== undefined && own === undefined ? 'node-cidr-mask-size' : name;
  const value = given ?? String(MASK_SIZES[family]);
  const [prefix, bits] = [Number(text.split('/')[1]), family === 4 ? 32 : 128];
  const size = /^\d{1,3}$/.test(value) ? Number(value) : -1;
  if (size < prefix || size > bits)
    problems.push(`--${shown} is from ${prefix} to ${bits} for ${text}, not ${JSON.stringify(value)}`);
  return size;
}
