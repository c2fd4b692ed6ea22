import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { LoadBalancerIngress } from '../../model/kubernetes.ts';
import { isProxied } from './ports.ts';
import type { Port } from './ports.ts';
import type { Annotated } from './read-annotations.ts';

/** How the IP addresses of a Service are published. */
export interface Publication {
  /** The name to publish in place of the IP addresses. */
  readonly hostname?: string;
  /** Whether members of a port get the PROXY protocol, so that no traffic may bypass the load balancer. */
  readonly proxied: boolean;
  /**
   * While `proxied`, a name below this domain is published in place of each IP address, for kube-proxies without
   * ipMode.
   */
  readonly suffix?: string;
}

export function readPublication(
  { hostname, ingressHostname }: Annotated['Service'],
  ports: readonly Port[],
  { loadBalancer }: Config,
): Publication {
  return {
    ...(hostname === undefined ? {} : { hostname }),
    proxied: ports.some(isProxied),
    ...(ingressHostname ? { suffix: loadBalancer.ingressHostnameSuffix } : {}),
  };
}

/**
 * What to publish in the Service's status: a name if there is one, else the IP addresses, always with `ipMode`
 * (docs/sources/kubernetes.md, "Published addresses").
 */
export function desireIngress(
  { publication }: { readonly publication: Publication },
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  if (addresses.length === 0) return [];
  const { hostname, proxied, suffix } = publication;
  if (hostname !== undefined) return [{ hostname }];
  if (proxied && suffix !== undefined)
    return addresses.map((address) => ({ hostname: `${labelOf(address)}.${suffix}` }));
  return addresses.map((ip) => ({ ip, ipMode: proxied ? 'Proxy' : 'VIP' }));
}

/**
 * An IP address for a DNS name. Services such as nip.io read dashes as colons; a label may not begin or end with a
 * dash.
 */
function labelOf(address: string): string {
  if (isIP(address) === 4) return address;
  return address.replaceAll(':', '-').replace(/^-/, '0-').replace(/-$/, '-0');
}
