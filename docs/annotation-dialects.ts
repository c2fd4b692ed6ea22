/** How annotations begin, in the order of the columns: levelset's, OCCM's, older ones, and kinx's. */
export const DIALECTS = [
  'levelset.openstack.org/',
  'loadbalancer.openstack.org/',
  'service.beta.kubernetes.io/',
  'service.beta.kubernetes.io/kinx-load-balancer-',
] as const;

export type DialectPrefix = (typeof DIALECTS)[number];

/** The longest prefix that fits. */
export function dialectOf(name: string): DialectPrefix {
  const [longest] = DIALECTS.filter((prefix) => name.startsWith(prefix)).sort((a, b) => b.length - a.length);
  if (longest === undefined) throw new TypeError(`${name} is of no dialect`);
  return longest;
}
