/** Values with a grammar of their own. Most end in the configuration of haproxy: nothing but their grammar gets through. */
import type { Parser } from './parsers.ts';

/** `true` and `v1` are one to the Go provider, which takes anything else but `v2` as off (openstack-ccm.md, 1.3). */
export const proxyProtocol: Parser<'PROXY' | 'PROXYV2' | null> = (text) => {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'v1') return { value: 'PROXY' };
  if (word === 'v2') return { value: 'PROXYV2' };
  return word === 'false' ? { value: null } : { allowed: 'true, v1, v2 or false' };
};

const COOKIE = /^[A-Za-z0-9!%*+.^_|~-]{1,255}$/;

/** Octavia's session persistence (Octavia API, pools); a cookie's name is a token of RFC 6265 without quotes, #, $ and &. */
export const persistence: Parser<Readonly<Record<string, unknown>> | null> = (text) => {
  const [type = '', cookie, ...rest] = text.trim().split(/\s+/);
  const word = type.toUpperCase();
  if (rest.length === 0 && cookie === undefined) {
    if (word === 'NONE') return { value: null };
    if (word === 'SOURCE_IP' || word === 'HTTP_COOKIE') return { value: { type: word } };
  }
  if (word === 'APP_COOKIE' && rest.length === 0 && COOKIE.test(cookie ?? '')) {
    return { value: { type: word, cookie_name: cookie } };
  }
  return { allowed: 'none, SOURCE_IP, HTTP_COOKIE, or APP_COOKIE and the name of a cookie' };
};

const PATH = /^\/[-A-Za-z0-9._~!$&()*+,;=:@%/?]{0,254}$/;

export const urlPath: Parser<string> = (text) =>
  PATH.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'a path such as /healthz, without white space, quotes or #' };

const CODES = /^[1-5]\d\d(-[1-5]\d\d|(\s*,\s*[1-5]\d\d)*)$/;

export const statusCodes: Parser<string> = (text) =>
  CODES.test(text.trim())
    ? { value: text.replace(/\s/g, '') }
    : { allowed: 'a status code, several with commas, or a range: 200, 200,204 or 200-299' };

export const httpVersion: Parser<number> = (text) => {
  const version = text.trim();
  return version === '1.0' || version === '1.1' ? { value: Number(version) } : { allowed: '1.0 or 1.1' };
};

/** The hash of one change that waits (plan/approval.ts). */
export const approval: Parser<string> = (text) =>
  /^[0-9a-f]{12}$/.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'the hashes of changes that wait, 12 hexadecimal digits each' };

/** What Octavia takes (Octavia API 2.9, L7 policies). */
export const redirectCode: Parser<number> = (text) => {
  const code = Number(text.trim());
  return [301, 302, 303, 307, 308].includes(code)
    ? { value: code }
    : { allowed: '301, 302, 303, 307 or 308' };
};
