import type { StatusRow } from '../page.ts';

/** Whether an object is as desired. `warned`: it is, and something about it is ignored, waits, or differs from what was settled. */
type Sync = StatusRow['state'] | 'warned';

/** Whether a load balancer serves. `none`: there is none, nobody says, or no check does. */
type Health = 'down' | 'degraded' | 'serving' | 'none';

export function warningsOf({ problems = 0, awaitingApproval = 0, drift = 0 }: StatusRow): number {
  return problems + awaitingApproval + drift;
}

export function syncOf(row: StatusRow): Sync {
  return row.state === 'settled' && warningsOf(row) > 0 ? 'warned' : row.state;
}

/** What the operating status of a load balancer means (Octavia API, "Operating Status Codes"). */
const HEALTH: Readonly<Partial<Record<string, Health>>> = {
  ONLINE: 'serving',
  DRAINING: 'serving',
  DEGRADED: 'degraded',
  ERROR: 'down',
  OFFLINE: 'down',
};

export function healthOf({ operatingStatus }: { readonly operatingStatus?: string | undefined }): Health {
  return HEALTH[operatingStatus ?? ''] ?? 'none';
}

export const GROUPS = ['person', 'progressing', 'warned', 'unknown', 'settled'] as const;

export type Group = (typeof GROUPS)[number];

export const GROUP_NAMES: Readonly<Record<Group, string>> = {
  person: 'Needs a person',
  progressing: 'In progress',
  warned: 'In sync, with warnings',
  unknown: 'Not known',
  settled: 'In sync',
};

/** An object that serves nobody needs a person, in sync or not; one that is being made serves nobody yet. */
export function groupOf(row: StatusRow): Group {
  if (row.unknownSince !== undefined) return 'unknown';
  const sync = syncOf(row);
  if (sync === 'progressing') return sync;
  if (sync === 'failed' || sync === 'blocked' || healthOf(row) === 'down') return 'person';
  return sync === 'settled' && healthOf(row) === 'degraded' ? 'warned' : sync;
}
