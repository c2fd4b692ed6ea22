import type { AnnotationRow } from '../shared/service/intent/annotation-row.ts';

/** How annotations begin, in the order of the columns: levelset's, the Go provider's, older ones, and kinx's. */
export const DIALECTS = [
  'levelset.openstack.org/',
  'loadbalancer.openstack.org/',
  'service.beta.kubernetes.io/',
  'service.beta.kubernetes.io/kinx-load-balancer-',
] as const;

export type DialectPrefix = (typeof DIALECTS)[number];

/** The longest beginning that fits. */
export function dialectOf(name: string): DialectPrefix {
  const [longest] = DIALECTS.filter((prefix) => name.startsWith(prefix)).sort((a, b) => b.length - a.length);
  if (longest === undefined) throw new TypeError(`${name} is of no dialect`);
  return longest;
}

/** The sections of the page, in order. */
export const TOPICS = [
  'The load balancer',
  'Its addresses, and who may connect',
  'What ports speak',
  'TLS',
  'Members',
  'Health monitors',
] as const;

type Topic = (typeof TOPICS)[number];

const OF_ADDRESSES =
  /floating|internal|hostname|source-ranges|subnet-id$|subnet-ids$|network-id$|\/port-id|vip-/;

/** Where a row is found: by what it is about. */
export function topicOf({ on, sets, names: [name = ''], becomes }: AnnotationRow): Topic {
  const target = becomes ?? `${on}.${sets}`;
  if (/tls|hsts|alpn|client_/i.test(target) || /tls|client-|hsts/.test(name)) return 'TLS';
  if (target.startsWith('healthmonitor')) return 'Health monitors';
  if (/^(pool|member)\./.test(target) || name.includes('node-selector')) return 'Members';
  if (!name.includes('redirect') && OF_ADDRESSES.test(name)) return 'Its addresses, and who may connect';
  return /^(listener|l7policy)\.(?!tags)/.test(target) ? 'What ports speak' : 'The load balancer';
}
