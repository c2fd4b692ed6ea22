import type { Cidr } from '../../model/network/cidr.ts';
import { cidrsFlag } from './cidr-flags.ts';
import { booleanFlag, type Flags } from './flags.ts';
import type { NodeCidrConfig } from '../node-config.ts';

/** Without a flag, as in kube-controller-manager. */
const MASK_SIZES = { 4: '24', 6: '64' } as const;

/** `--allocate-node-cidrs` and what it needs to know; nothing when it is off. */
export function nodeCidrConfig(
  flags: Flags,
  clusterCidrs: readonly Cidr[],
  problems: string[],
): { readonly nodeCidrs?: NodeCidrConfig } {
  const on = booleanFlag('allocate-node-cidrs', flags.allocateNodeCidrs, false, problems);
  const services = cidrsFlag('service-cluster-ip-range', flags.serviceClusterIpRange, problems);
  if (!on) return {};
  if ((flags.clusterCidr ?? '') === '')
    problems.push('--allocate-node-cidrs needs --cluster-cidr: what Nodes get is a part of it');
  const single = flags.nodeCidrMaskSize;
  if (clusterCidrs.length > 1 && single !== undefined) {
    problems.push(
      '--node-cidr-mask-size is for one --cluster-cidr; for two there are --node-cidr-mask-size-ipv4 and -ipv6',
    );
    return {};
  }
  const ranges = clusterCidrs.map((cidr) => {
    const own = cidr.family === 4 ? flags.nodeCidrMaskSizeIpv4 : flags.nodeCidrMaskSizeIpv6;
    const maskSize = readMaskSize(own ?? single ?? MASK_SIZES[cidr.family], cidr, problems);
    return { clusterCidr: cidr.text, family: cidr.family, maskSize };
  });
  return { nodeCidrs: { ranges, serviceCidrs: services.map(({ text }) => text) } };
}

function readMaskSize(value: string, { text, family }: Cidr, problems: string[]): number {
  const prefix = Number(text.split('/')[1]);
  const bits = family === 4 ? 32 : 128;
  const size = /^\d{1,3}$/.test(value) ? Number(value) : -1;
  if (size < prefix || size > bits)
    problems.push(
      `the mask size of IPv${family} is from ${prefix} to ${bits} in ${text}, not ${value} (--node-cidr-mask-size-ipv${family})`,
    );
  return size;
}
