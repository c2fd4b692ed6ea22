/** How to reach OpenStack, by the names of clouds.yaml. The OS_* variables are the same names in capitals. */
const NAMES = {
  authUrl: ['auth_url'],
  region: ['region_name'],
  interface: ['interface', 'endpoint_type'],
  username: ['username', 'user_name'],
  userId: ['user_id'],
  password: ['password'],
  projectId: ['project_id', 'tenant_id'],
  projectName: ['project_name', 'tenant_name'],
  domainId: ['domain_id'],
  domainName: ['domain_name'],
  userDomainId: ['user_domain_id'],
  userDomainName: ['user_domain_name'],
  projectDomainId: ['project_domain_id'],
  projectDomainName: ['project_domain_name'],
  // of a user or a project for which the source has no other one
  defaultDomainId: ['default_domain_id', 'default_domain'],
  defaultDomainName: ['default_domain_name'],
  applicationCredentialId: ['application_credential_id'],
  applicationCredentialName: ['application_credential_name'],
  applicationCredentialSecret: ['application_credential_secret'],
  caFile: ['cacert'],
  certFile: ['cert'],
  keyFile: ['key'],
  tlsInsecure: [],
  token: ['token'],
  trustId: ['trust_id'],
  authType: ['auth_type'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What one source says: cloud.conf, clouds.yaml or the OS_* variables. */
export type Access = { readonly [F in keyof typeof NAMES]?: string };

/** `value` gives what stands under a name of clouds.yaml. An empty value counts as absent, as in OCCM and in the openstack client. */
export function readAccess(value: (name: string) => string | undefined): Access {
  const found = Object.entries(NAMES).map(([field, aliases]: [string, readonly string[]]) => [
    field,
    aliases.map(value).find((text) => text !== undefined && text !== ''),
  ]);
  return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as Access;
}

export function readEnv(env: NodeJS.ProcessEnv): Access {
  return readAccess((name) => env[`OS_${name.toUpperCase()}`]);
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

export function mergeAccess(sources: readonly Access[]): Access {
  return sources.map(spreadDomain).reduceRight((below, above) => {
    const said = ALTERNATIVES.filter((fields) => fields.some((field) => above[field] !== undefined)).flat();
    const kept = Object.entries(below).filter(([field]) => !said.includes(field as keyof Access));
    return { ...(Object.fromEntries(kept) as Access), ...above };
  }, {});
}

/** Copies the domain of both, or else the default one, to user and project, where they have none of their own. */
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
