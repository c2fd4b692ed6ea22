/** Where a request came from. */
export const FORWARDED = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'] as const;

/** What a client's certificate says (Octavia API, "Supported HTTP Header Insertions"). */
const OF_CERTIFICATES = [
  'X-SSL-Client-Verify',
  'X-SSL-Client-Has-Cert',
  'X-SSL-Client-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before',
  'X-SSL-Client-Not-After',
] as const;

export const HEADERS = [...FORWARDED, ...OF_CERTIFICATES] as const;
export type Header = (typeof HEADERS)[number];
