const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/** What is allowed, for messages. */
export const GO_DURATION = 'a duration with a unit, such as 5s, 1m30s or 500ms';

/** Milliseconds of a Go duration that is not negative (time.ParseDuration); undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const parts = [...unsigned.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== unsigned) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}
