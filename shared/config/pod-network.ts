import type { Cidr } from '../model/network/cidr.ts';
import type { Config, NodeCidrConfig } from './config.ts';
import type { Flags, FlagValues } from './read-flags.ts';

type PodNetwork = Pick<Config, 'clusterCidrs' | 'route' | 'nodeCidrs'>;

/** Everything about routes and CIDRs of Nodes: flags that belong together, and `[Route] router-id` of cloud.conf. */
export function podNetwork(
  flags: Flags,
  values: FlagValues,
  routerId: string | undefined,
  problems: string[],
  warnings: string[],
): PodNetwork {
  const nodeCidrs = values.allocateNodeCidrs ? nodeCidrConfig(flags, values, problems) : undefined;
  return {
    clusterCidrs: values.clusterCidr.map(({ text }) => text),
    ...routeConfig(flags, values, routerId, warnings),
    ...(nodeCidrs === undefined ? {} : { nodeCidrs }),
  };
}

/**
 * Routes need a router, a cluster CIDR and their controller. A flag or option that has no effect adds a
 * warning, unless routes are switched off.
 */
function routeConfig(
  flags: Flags,
  values: FlagValues,
  routerId: string | undefined,
  warnings: string[],
): Pick<Config, 'route'> {
  if (!values.configureCloudRoutes || !values.controllers.includes('node-route-controller')) return {};
  if (values.discoverRouter && routerId !== undefined)
    warnings.push('--discover-router has no effect: [Route] router-id names a router');
  if (routerId === undefined && !values.discoverRouter) {
    if (flags.configureCloudRoutes !== undefined)
      warnings.push('--configure-cloud-routes has no effect: [Route] router-id names no router');
    return {};
  }
  if (values.clusterCidr.length > 0) {
    const sizes = values.clusterCidr.map((cidr) => [cidr.family, maskSizeOf(cidr, flags, values)] as const);
    const said = sizes.filter(([, { isSaid }]) => isSaid || values.allocateNodeCidrs);
    const maskSizes = Object.fromEntries(said.map(([family, { size }]) => [family, size]));
    return {
      route: { ...(routerId === undefined ? {} : { routerId }), ...(said.length > 0 ? { maskSizes } : {}) },
    };
  }
  const asks = routerId === undefined ? '--discover-router' : '[Route] router-id';
  if (isEmpty(flags.clusterCidr))
    warnings.push(`${asks} has no effect without --cluster-cidr: levelset makes and deletes no routes`);
  return {};
}

function nodeCidrConfig(flags: Flags, values: FlagValues, problems: string[]): NodeCidrConfig | undefined {
  const { clusterCidr, nodeCidrMaskSize, serviceClusterIpRange } = values;
  if (isEmpty(flags.clusterCidr))
    problems.push('--allocate-node-cidrs needs --cluster-cidr: each Node gets a part of it');
  if (clusterCidr.length > 1 && nodeCidrMaskSize !== undefined) {
    problems.push(
      '--node-cidr-mask-size is for one --cluster-cidr: for two give --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6',
    );
    return undefined;
  }
  const ranges = clusterCidr.map((cidr) => {
    const { size } = maskSizeOf(cidr, flags, values);
    checkMaskSize(size, cidr, problems);
    return { clusterCidr: cidr.text, family: cidr.family, maskSize: size };
  });
  return { ranges, serviceCidrs: serviceClusterIpRange.map(({ text }) => text) };
}

/** The mask size of a Node's part of a cluster CIDR, and whether a flag says it. */
function maskSizeOf(
  { family }: Cidr,
  flags: Flags,
  { nodeCidrMaskSize, nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv6 }: FlagValues,
): { readonly size: number; readonly isSaid: boolean } {
  const [own, size] =
    family === 4
      ? [flags.nodeCidrMaskSizeIpv4, nodeCidrMaskSizeIpv4]
      : [flags.nodeCidrMaskSizeIpv6, nodeCidrMaskSizeIpv6];
  if (own !== undefined) return { size, isSaid: true };
  return { size: nodeCidrMaskSize ?? size, isSaid: nodeCidrMaskSize !== undefined };
}

function checkMaskSize(size: number, { text, family }: Cidr, problems: string[]): void {
  const [prefix, bits] = [Number(text.split('/')[1]), family === 4 ? 32 : 128];
  if (size >= prefix && size <= bits) return;
  problems.push(
    `a mask size of ${size} does not fit into --cluster-cidr ${text}: give --node-cidr-mask-size-ipv${family} a whole number from ${prefix} to ${bits}`,
  );
}

function isEmpty(value: string | undefined): boolean {
  return (value ?? '') === '';
}
