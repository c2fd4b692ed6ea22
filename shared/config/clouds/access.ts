/** How to reach OpenStack and log in, as far as one source says it: cloud.conf, clouds.yaml or the OS_* variables. */
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
  /** Of a user or a project for which the source has no other one. */
  readonly defaultDomainId?: string;
  readonly defaultDomainName?: string;
  readonly applicationCredentialId?: string;
  readonly applicationCredentialName?: string;
  readonly applicationCredentialSecret?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** `true` or `false`. */
  readonly tlsInsecure?: string;
  /** Ways to log in that levelset does not support. It reads them to refuse them. */
  readonly token?: string;
  readonly trustId?: string;
  /** Which way to log in is meant. levelset refuses those that it does not support. */
  readonly authType?: string;
}

/**
 * Reads the fields that a table names from a flat source. An empty value counts as absent, as in the Go provider and in the
 * openstack client.
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

/** Fields that say the same in two ways. A source that has one of them overrides both in later sources. */
const ALTERNATIVES: readonly (readonly (keyof Access)[])[] = [
  ['userId', 'username'],
  ['projectId', 'projectName'],
  ['userDomainId', 'userDomainName'],
  ['projectDomainId', 'projectDomainName'],
  ['applicationCredentialId', 'applicationCredentialName'],
];

export function hasSecret({ password, applicationCredentialSecret }: Access): boolean {
  return (password ?? applicationCredentialSecret) !== undefined;
}

/** Merges the sources. Each field comes from the first source that has it. */
export function mergeAccess(sources: readonly Access[]): Access {
  return sources.map(spreadDomain).reduceRight((below, above) => {
    const said = ALTERNATIVES.filter((fields) => fields.some((field) => above[field] !== undefined)).flat();
    const kept = Object.entries(below).filter(([field]) => !said.includes(field as keyof Access));
    return { ...(Object.fromEntries(kept) as Access), ...above };
  }, {});
}

/**
 * Copies the domain that a source has for user and project, or else its default, to each of the two, unless the source has one for
 * that one alone.
 */
function spreadDomain(access: Access): Access {
  const { domainId, domainName, defaultDomainId, defaultDomainName, ...own } = access;
  const isSaid = (domainId ?? domainName) !== undefined;
  const [id, name] = isSaid ? [domainId, domainName] : [defaultDomainId, defaultDomainName];
  const hasUser = (own.userDomainId ?? own.userDomainName) !== undefined;
  const hasProject = (own.projectDomainId ?? own.projectDomainName) !== undefined;
  const of = (what: 'user' | 'project'): Access => {
    if (id !== undefined) return { [`${what}DomainId`]: id };
    return name === undefined ? {} : { [`${what}DomainName`]: name };
  };
  return { ...own, ...(hasUser ? {} : of('user')), ...(hasProject ? {} : of('project')) };
}

const VARIABLES: Readonly<Record<keyof Access, readonly string[]>> = {
  authUrl: ['OS_AUTH_URL'],
  region: ['OS_REGION_NAME'],
  interface: ['OS_INTERFACE', 'OS_ENDPOINT_TYPE'],
  username: ['OS_USERNAME'],
  userId: ['OS_USER_ID'],
  password: ['OS_PASSWORD'],
  projectId: ['OS_PROJECT_ID', 'OS_TENANT_ID'],
  projectName: ['OS_PROJECT_NAME', 'OS_TENANT_NAME'],
  domainId: ['OS_DOMAIN_ID'],
  domainName: ['OS_DOMAIN_NAME'],
  userDomainId: ['OS_USER_DOMAIN_ID'],
  userDomainName: ['OS_USER_DOMAIN_NAME'],
  projectDomainId: ['OS_PROJECT_DOMAIN_ID'],
  projectDomainName: ['OS_PROJECT_DOMAIN_NAME'],
  defaultDomainId: ['OS_DEFAULT_DOMAIN_ID', 'OS_DEFAULT_DOMAIN'],
  defaultDomainName: ['OS_DEFAULT_DOMAIN_NAME'],
  applicationCredentialId: ['OS_APPLICATION_CREDENTIAL_ID'],
  applicationCredentialName: ['OS_APPLICATION_CREDENTIAL_NAME'],
  applicationCredentialSecret: ['OS_APPLICATION_CREDENTIAL_SECRET'],
  caFile: ['OS_CACERT'],
  certFile: ['OS_CERT'],
  keyFile: ['OS_KEY'],
  tlsInsecure: [],
  token: ['OS_TOKEN'],
  trustId: ['OS_TRUST_ID'],
  authType: ['OS_AUTH_TYPE'],
};

/** The OS_* variables of the openstack client. */
export function readEnv(env: NodeJS.ProcessEnv): Access {
  return readAccess(VARIABLES, (name) => env[name]);
}
