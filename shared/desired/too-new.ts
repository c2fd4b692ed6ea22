import type { Problem } from '../model/plan.ts';
import type { ResourceTypes } from '../model/resources.ts';
import type { PortAnnotated } from './read-annotations.ts';

export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

interface Since {
  readonly minor: number;
  /** Without it things would go on less safely than was asked for. */
  readonly blocking: boolean;
}

const GUARDS = true;

/** Since which minor version of Octavia's API v2 an attribute is there (Octavia API reference). */
const SINCE: Readonly<Record<'listener' | 'pool', Readonly<Partial<Record<string, Since>>>>> = {
  listener: {
    client_authentication: { minor: 8, blocking: GUARDS },
    tls_ciphers: { minor: 15, blocking: GUARDS },
    tls_versions: { minor: 17, blocking: GUARDS },
    alpn_protocols: { minor: 20, blocking: false },
    hsts_max_age: { minor: 27, blocking: false },
    hsts_include_subdomains: { minor: 27, blocking: false },
    hsts_preload: { minor: 27, blocking: false },
  },
  pool: {
    tls_enabled: { minor: 8, blocking: GUARDS },
    tls_ciphers: { minor: 15, blocking: GUARDS },
    tls_versions: { minor: 17, blocking: GUARDS },
  },
};

/** What of these attributes this Octavia knows; of the others the Service is told. */
export function withoutTooNew<K extends 'listener' | 'pool'>(
  kind: K,
  attributes: Partial<ResourceTypes[K]>,
  { spelled }: PortAnnotated,
  { major, minor }: ApiVersion,
): { readonly attributes: Partial<ResourceTypes[K]>; readonly problems: readonly Problem[] } {
  const tooNew = Object.keys(attributes).filter((name) => minor < (SINCE[kind][name]?.minor ?? 0));
  const known = Object.entries(attributes).filter(([name]) => !tooNew.includes(name));
  return {
    attributes: Object.fromEntries(known) as Partial<ResourceTypes[K]>,
    problems: tooNew.map((attribute) => {
      const { name = attribute, text = '' } = spelled[`${kind}.${attribute}`] ?? {};
      const { minor: since = 0, blocking = false } = SINCE[kind][attribute] ?? {};
      const message = `cannot be set on this cloud: its Octavia has API ${major}.${minor}, and this came with 2.${since}`;
      return { field: name, value: text, message, ...(blocking ? { blocking } : {}) };
    }),
  };
}
