/** How to reach and enter an OpenStack, as one source tells it; every source tells a part. */
export interface Access {
  readonly authUrl?: string;
  readonly region?: string;
  readonly interface?: string;
  readonly username?: string;
  readonly userId?: string;
  readonly password?: string;
  readonly projectId?: string;
  readonly projectName?: string;
  readonly domainId?: string;
  readonly domainName?: string;
  readonly userDomainId?: string;
  readonly userDomainName?: string;
  readonly projectDomainId?: string;
  readonly projectDomainName?: string;
  readonly applicationCredentialId?: string;
  readonly applicationCredentialName?: string;
  readonly applicationCredentialSecret?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** `true` or `false`. */
  readonly tlsInsecure?: string;
  /** Ways in that levelset does not go: named so that they can be refused. */
  readonly token?: string;
  readonly trustId?: string;
  readonly authType?: string;
}

/**
 * Reads the fields that a table names out of a flat source. What is empty counts as absent, as in the Go provider and
 * in the openstack client.
 */
export function readAccess(
  names: Readonly<Partial<Record<keyof Access, readonly string[]>>>,
  value: (name: string) => string | undefined,
): Access {
  const found = Object.entries(names).map(([field, aliases]) => [
    field,
    aliases.map(value).find((text) => text !== undefined && text !== ''),
  ]);
  return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as Access;
}
