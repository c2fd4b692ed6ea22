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

/** Two ways to say one thing: who says it one way overrides who said it the other way before. */
const ALTERNATIVES: readonly (readonly (keyof Access)[])[] = [
  ['userId', 'username'],
  ['projectId', 'projectName'],
  ['userDomainId', 'userDomainName'],
  ['projectDomainId', 'projectDomainName'],
  ['applicationCredentialId', 'applicationCredentialName'],
];

/** All sources as one, the first winning field by field. */
export function mergeAccess(sources: readonly Access[]): Access {
  return sources.map(spreadDomain).reduceRight((below, above) => {
    const said = ALTERNATIVES.filter((fields) => fields.some((field) => above[field] !== undefined)).flat();
    const kept = Object.entries(below).filter(([field]) => !said.includes(field as keyof Access));
    return { ...(Object.fromEntries(kept) as Access), ...above };
  }, {});
}

/** A domain for all is the user's and the project's where the source has none for them. */
function spreadDomain(access: Access): Access {
  const { domainId, domainName, ...own } = access;
  const hasUser = (own.userDomainId ?? own.userDomainName) !== undefined;
  const hasProject = (own.projectDomainId ?? own.projectDomainName) !== undefined;
  if (domainId !== undefined) {
    const user = hasUser ? {} : { userDomainId: domainId };
    return { ...own, ...user, ...(hasProject ? {} : { projectDomainId: domainId }) };
  }
  if (domainName === undefined) return own;
  const user = hasUser ? {} : { userDomainName: domainName };
  return { ...own, ...user, ...(hasProject ? {} : { projectDomainName: domainName }) };
}
