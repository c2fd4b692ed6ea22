/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when absent or unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
