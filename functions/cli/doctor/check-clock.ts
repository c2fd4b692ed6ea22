import type { Finding } from './finding.ts';

/** The header Date has whole seconds. */
const MOST_SECONDS = 5;

/** A server's time, and between which times of this machine's clock it was told. All are in milliseconds since 1970. */
export interface TimeTold {
  readonly serverTimeMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** How far this machine's clock is from a server's. */
export function checkClock(side: string, told: TimeTold | undefined): readonly Finding[] {
  if (!told) return [];
  const { serverTimeMs, sentMs, answeredMs } = told;
  const nearest = Math.min(Math.max(serverTimeMs, sentMs), answeredMs);
  const seconds = Math.round((nearest - serverTimeMs) / 1_000);
  if (Math.abs(seconds) <= MOST_SECONDS)
    return [{ area: 'clock', level: 'ok', what: `the clock is that of ${side}` }];
  const where = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${side}`;
  return [
    {
      area: 'clock',
      level: 'warning',
      what: `the clock of this machine is ${where}: what changed lately may be read late, and deletion budgets count wrong hours`,
      remedy:
        'set the clock of the machine that is wrong, here or there:\ntimedatectl set-ntp true\ntimedatectl timesync-status',
    },
  ];
}
