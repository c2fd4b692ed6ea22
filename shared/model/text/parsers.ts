import { isIP } from 'node:net';
import { readUuid } from './text.ts';

/** Parsers turn the text of an annotation into a typed value, or say in words what is allowed. They never throw. */

export type Parsed<T> = { readonly value: T } | { readonly allowed: string };
export type Parser<T> = (text: string) => Parsed<T>;

export const bool: Parser<boolean> = (text) => {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? { value: word === 'true' } : { allowed: 'true or false' };
};

/** As OCCM reads it: what is published changes at once, and no approval goes before (decision 431). */
export const exactBool: Parser<boolean> = (text) =>
  text === 'true' || text === 'false' ? { value: text === 'true' } : { allowed: 'true or false exactly' };

export function matching(
  pattern: RegExp,
  allowed: string,
  read: (text: string) => string = (text) => text.trim(),
): Parser<string> {
  return (text) => (pattern.test(text.trim()) ? { value: read(text) } : { allowed });
}

export function integer(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^[-+]?\d{1,10}$/.test(text.trim()) ? Number(text) : NaN;
    if (value >= min && value <= max) return { value };
    return { allowed: `a whole number from ${min} to ${max}` };
  };
}

export function oneOf<const T extends string>(...words: readonly T[]): Parser<T> {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.trim().toLowerCase());
    return found === undefined ? { allowed: `one of ${words.join(', ')}` } : { value: found };
  };
}

/** Every id from an annotation is checked before it may enter a URL (decision 31). */
export const uuid: Parser<string> = (text) => {
  const value = readUuid(text);
  return value === undefined ? { allowed: 'the UUID of a resource' } : { value };
};

const HOSTNAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

export const hostname: Parser<string> = (text) => {
  const name = text.trim().toLowerCase();
  return HOSTNAME.test(name) && isIP(name) === 0
    ? { value: name }
    : { allowed: 'a DNS name such as app.example.org, not an IP address' };
};

/**
 * Split on commas and white space, as OCCM does. An empty text asks for no range; one of commas alone stays, since it
 * must not open the ports.
 */
export const sourceRanges: Parser<readonly string[]> = (text) => {
  const value = text.split(/[\s,]+/).filter((word) => word !== '');
  const unread = text.trim();
  return { value: value.length > 0 || unread === '' ? value : [unread] };
};

/** Several values, split on commas and white space. `parse` must accept each of them. */
export function list<T>(parse: Parser<T>): Parser<readonly T[]> {
  return (text) => {
    const values: T[] = [];
    // up to the first that is wrong: there may be a hundred thousand
    for (const word of text.split(/[\s,]+/)) {
      const one = word === '' ? undefined : parse(word);
      if (one && 'allowed' in one) return { allowed: `a comma-separated list, each ${one.allowed}` };
      if (one) values.push(one.value);
    }
    return values.length > 0 ? { value: values } : { allowed: 'a comma-separated list, not empty' };
  };
}

/** A name that an operator gave, without white space and special characters. */
export const word = matching(
  /^[A-Za-z0-9][-A-Za-z0-9_.:]{0,254}$/,
  'a name of letters, digits and - _ . : that begins with a letter or digit',
);

/** To OCCM `true` and `v1` mean the same, and anything else but `v2` is off (docs/sources/occm.md, "Annotations"). */
export const proxyProtocol: Parser<'PROXY' | 'PROXYV2' | null> = (text) => {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'v1') return { value: 'PROXY' };
  if (word === 'v2') return { value: 'PROXYV2' };
  return word === 'false' ? { value: null } : { allowed: 'true, v1, v2 or false' };
};

const COOKIE = /^[A-Za-z0-9!%*+.^_|~-]{1,255}$/;

/** Octavia API, pools. A cookie's name is a token of RFC 6265 without quotes, #, $ and &. */
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

export const urlPath = matching(
  /^\/[-A-Za-z0-9._~!$&()*+,;=:@%/?]{0,254}$/,
  'a path such as /healthz, without white space, quotes or #',
);

export const statusCodes = matching(
  /^[1-5]\d\d(-[1-5]\d\d|(\s*,\s*[1-5]\d\d)*)$/,
  'a status code, several with commas, or a range: 200, 200,204 or 200-299',
  (text) => text.replace(/\s/g, ''),
);

export const httpVersion: Parser<number> = (text) => {
  const version = text.trim();
  return version === '1.0' || version === '1.1' ? { value: Number(version) } : { allowed: '1.0 or 1.1' };
};

export const approval = matching(/^[0-9a-f]{12}$/, 'the hash of a change that waits, 12 hexadecimal digits');

/** The codes that Octavia takes (Octavia API 2.9, L7 policies). */
export const redirectCode: Parser<number> = (text) => {
  const code = Number(text.trim());
  return [301, 302, 303, 307, 308].includes(code)
    ? { value: code }
    : { allowed: '301, 302, 303, 307 or 308' };
};

/** A reference to a certificate. Whether it exists is checked when it is looked up: another store has other names. */
export const tlsReference = matching(
  /^[A-Za-z0-9][-A-Za-z0-9._~:/@%+=]{0,254}$/,
  'the id or the address of a certificate container or of a secret',
);

/** The name of a Node or a Secret (Kubernetes documentation, "Object Names and IDs", DNS subdomain). */
export const OBJECT_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const secretName = matching(
  OBJECT_NAME,
  'the name of a Secret of type kubernetes.io/tls in the namespace of the Service',
);

const TLS_VERSIONS = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

export const tlsVersions: Parser<readonly string[]> = list(oneOf(...TLS_VERSIONS));

/** Names of ciphers as OpenSSL has them, without OpenSSL's operators. */
export const ciphers = matching(
  /^(?=.{1,2048}$)[A-Z0-9][A-Za-z0-9_-]*(:[A-Z0-9][A-Za-z0-9_-]*)*$/,
  'names of ciphers as OpenSSL has them, with colons between',
);
