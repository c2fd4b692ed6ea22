import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an Authorization header carries one of the tokens as `Bearer`. Several tokens are for rotation; no tokens refuse
 * everything. Both sides are hashed and every token is compared, so the time taken tells nothing about any of them.
 */
export function authorize(header: string | undefined, tokens: readonly string[]): boolean {
  return matches(/^bearer +(\S+) *$/i.exec(header ?? '')?.[1], tokens);
}

/**
 * As `authorize`, and a browser may send the token as the password of Basic (RFC 7617). Only for what changes nothing:
 * a browser sends Basic by itself, on requests of other sites too.
 */
export function authorizeReader(header: string | undefined, tokens: readonly string[]): boolean {
  const basic = /^basic +(\S+) *$/i.exec(header ?? '')?.[1];
  if (basic === undefined) return authorize(header, tokens);
  const [, ...password] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return matches(password.join(':') || undefined, tokens);
}

function matches(presented: string | undefined, tokens: readonly string[]): boolean {
  const given = sha256(presented ?? '');
  const equal = tokens.map((token) => timingSafeEqual(sha256(token), given));
  return presented !== undefined && equal.includes(true);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
