import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether the header has one of the tokens as `Bearer`. Hashes are compared, so that the time it takes tells nothing. */
export function authorize(header: string | undefined, tokens: readonly string[]): boolean {
  return matches(/^bearer +(\S+) *$/i.exec(header ?? '')?.[1], tokens);
}

/** Also as the password of Basic (RFC 7617). Only for requests that change nothing: a browser sends Basic by itself. */
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
