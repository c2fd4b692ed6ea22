import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { CloudReader } from '../../ports.ts';
import { orUnread, onceAMinute } from '../../observe/reads.ts';

/** Flavors and zones are read once a minute for the process. All are listed, because a Problem names what could be chosen. */
export async function observeOffers({ flavors, zones }: OfferQuestion, source: CloudReader): Promise<Offers> {
  return {
    ...(flavors ? { flavors: await listOf('flavor', source) } : {}),
    ...(zones ? { zones: await listOf('availabilityzone', source) } : {}),
  };
}

async function listOf(
  kind: 'flavor' | 'availabilityzone',
  source: CloudReader,
): Promise<readonly Offer[] | undefined> {
  const read = onceAMinute(source, `${kind}s`, () => source.cloud.list(kind));
  const found = await orUnread(source, undefined, read);
  return found?.map(({ id, name, enabled }) => ({ id, name: String(name), enabled: enabled === true }));
}

const COUNTED = ['loadbalancer', 'listener', 'pool', 'healthmonitor'] as const;

/** What the quota still allows of each kind; absent: no limit. It costs one call a minute, and one list for each limited kind. */
export async function observeHeadroom(reader: CloudReader): Promise<Readonly<Record<string, number>>> {
  const { cloud } = reader;
  const limits = await onceAMinute(reader, 'quota', () => cloud.quota());
  const limited = (kind: string): boolean => (limits[kind] ?? -1) >= 0;
  const left = async (kind: (typeof COUNTED)[number]): Promise<readonly [string, number]> => {
    const used = await cloud.list(kind, { fields: ['id'] });
    return [kind, (limits[kind] ?? 0) - used.length];
  };
  const counted = await Promise.all(COUNTED.filter(limited).map(left));
  if (!limited('member')) return Object.fromEntries(counted);
  const pools = await cloud.list('pool', { fields: ['id', 'members'] });
  const members = pools.reduce((sum, pool) => sum + (pool['members'] as readonly unknown[]).length, 0);
  return { ...Object.fromEntries(counted), member: (limits['member'] ?? 0) - members };
}
