import { readAccess, type Access } from '../clouds/access.ts';

const KEYS: Readonly<Record<keyof Access, readonly string[]>> = {
  authUrl: ['auth-url'],
  region: ['region'],
  interface: ['os-endpoint-type'],
  username: ['username'],
  userId: ['user-id'],
  password: ['password'],
  projectId: ['tenant-id'],
  projectName: ['tenant-name'],
  domainId: ['domain-id'],
  domainName: ['domain-name'],
  userDomainId: ['user-domain-id'],
  userDomainName: ['user-domain-name'],
  projectDomainId: ['tenant-domain-id'],
  projectDomainName: ['tenant-domain-name'],
  applicationCredentialId: ['application-credential-id'],
  applicationCredentialName: ['application-credential-name'],
  applicationCredentialSecret: ['application-credential-secret'],
  caFile: ['ca-file'],
  certFile: ['cert-file'],
  keyFile: ['key-file'],
  tlsInsecure: ['tls-insecure'],
  token: ['token'],
  trustId: ['trust-id', 'trustee-id', 'trustee-password'],
  authType: [],
};

/** Keys of [Global] that say how to enter OpenStack (docs/sources/go-provider.md, "Section Global"); all are strings. */
export const ACCESS_KEYS: readonly string[] = Object.values(KEYS).flat();

/** `value` gives the value of a key of [Global]. */
export function readGlobal(value: (key: string) => string | undefined): Access {
  return readAccess(KEYS, value);
}
