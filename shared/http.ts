/** What the two HTTP clients, of Kubernetes and of OpenStack, have in common. */

/**
 * Milliseconds that an answer asks to wait: the header Retry-After, as seconds or as an HTTP date (RFC 9110, 10.2.3).
 * Undefined when it is absent or unreadable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
