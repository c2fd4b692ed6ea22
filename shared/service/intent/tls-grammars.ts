/** Values about TLS. What ends in the configuration of haproxy has a grammar that nothing else passes. */
import { list, oneOf } from './parsers.ts';
import type { Parser } from './parsers.ts';

const REFERENCE = /^[A-Za-z0-9][-A-Za-z0-9._~:/@%+=]{0,254}$/;

/** Whether it names something that may be used is found out where it is looked up: another store has other names. */
export const tlsReference: Parser<string> = (text) =>
  REFERENCE.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'the id or the address of a certificate container or of a secret' };

const SECRET_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const secretName: Parser<string> = (text) =>
  SECRET_NAME.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'the name of a Secret of type kubernetes.io/tls in the namespace of the Service' };

export const TLS_VERSIONS = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

export const tlsVersions: Parser<readonly string[]> = list(oneOf(...TLS_VERSIONS));

const CIPHERS = /^[A-Z0-9][A-Za-z0-9_-]*(:[A-Z0-9][A-Za-z0-9_-]*)*$/;
const LONGEST = 2048;

/** Names of ciphers as OpenSSL has them, without its operators. */
export const ciphers: Parser<string> = (text) =>
  text.trim().length <= LONGEST && CIPHERS.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'names of ciphers as OpenSSL has them, with colons between' };
