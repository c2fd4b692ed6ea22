import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an Authorization header has one of the tokens as `Bearer`. Several tokens are for rotation; without any,
 * everything is refused. Hashes of all tokens are compared, so that the time it takes tells nothing about a token.
 */
export function authorize(header: string | undefined, tokens: readonly string[]): boolean {
  return matches(/^bearer +(\S+) *$/i.exec(header ?? '')?.[1], tokens);
}

/**
 * As `authorize`, and also for a token that is the password of Basic (RFC 7617), as browsers send it. Only for requests
 * that change nothing: a browser sends Basic by itself, also on requests of other sites.
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
