/**
 * The description of a load balancer: what a Service asks for, then what the Go provider writes, by which a load balancer
 * is recognised (name-schemes.ts). `Our shop | Kubernetes external service shop/web from cluster kubernetes`
 */

/** How the Go provider's and kinx's descriptions begin. */
export const DESCRIPTION_MARK = 'Kubernetes external service ';

const BETWEEN = ` | ${DESCRIPTION_MARK}`;

/** In bytes. Octavia takes 255 characters, and namespace and name must be readable behind it. */
export const LONGEST_DESCRIPTION = 96;

const LONGEST = 255;

/** `own` is the Go provider's text. */
export function describe(text: string | undefined, own: string): string {
  if (text === undefined) return own;
  const head = `${text} | `;
  return (
    head +
    Buffer.from(own)
      .subarray(0, LONGEST - Buffer.byteLength(head))
      .toString()
      .replace(/\uFFFD+$/, '')
  );
}

/** What a Service asked for; empty for everything that is not ours to change. */
export function askedDescription(description: unknown): string {
  const text = String(description);
  const at = text.lastIndexOf(BETWEEN);
  return at > 0 ? text.slice(0, at) : '';
}
