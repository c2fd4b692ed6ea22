const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How long ago, as the apiserver writes it in tables: two units while the first is small (`5m12s`, `26h`, `3d4h`). */
export function ageText(since: unknown, now: number): string {
  if (typeof since !== 'string') return '<unknown>';
  const passed = now - Date.parse(since);
  if (passed < -SECOND) return '<invalid>';
  if (passed < 2 * MINUTE) return inOne(Math.max(passed, 0), SECOND, 's');
  if (passed < 10 * MINUTE) return inTwo(passed, [MINUTE, 'm'], [SECOND, 's']);
  if (passed < 3 * HOUR) return inOne(passed, MINUTE, 'm');
  if (passed < 8 * HOUR) return inTwo(passed, [HOUR, 'h'], [MINUTE, 'm']);
  if (passed < 2 * DAY) return inOne(passed, HOUR, 'h');
  if (passed < 8 * DAY) return inTwo(passed, [DAY, 'd'], [HOUR, 'h']);
  if (passed < 2 * YEAR) return inOne(passed, DAY, 'd');
  if (passed < 8 * YEAR) return inTwo(passed, [YEAR, 'y'], [DAY, 'd']);
  return inOne(passed, YEAR, 'y');
}

const inOne = (passed: number, unit: number, name: string): string => `${Math.floor(passed / unit)}${name}`;

function inTwo(passed: number, [unit, name]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((passed % unit) / small);
  return inOne(passed, unit, name) + (rest === 0 ? '' : `${rest}${smallName}`);
}
