import type { CloudReader } from '../../ports.ts';
import { onceAMinute } from '../../observe/once-a-minute.ts';

/** What a create may still take of each limited kind; kinds without a limit are absent. */
export type Headroom = Readonly<Record<string, number>>;

const COUNTED = ['loadbalancer', 'listener', 'pool', 'healthmonitor'] as const;

/**
 * Looked at before a create: a one-POST create that is refused by quota half-way leaks its VIP port in Octavia
 * (decision 39). Without limits it is one call a minute.
 */
export async function observeHeadroom(reader: CloudReader): Promise<Headroom> {
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
