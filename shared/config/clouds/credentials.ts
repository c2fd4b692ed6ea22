import type { Access } from './access.ts';
import type { Credentials, DomainRef } from '../config.ts';
import { quote } from '../../model/text/text.ts';

type NameOrId = Extract<Credentials, { type: 'password' }>['user'];

const REFUSED: Readonly<Record<string, string>> = {
  trustId: 'a trust (trust-id)',
  token: 'a token',
};

const AUTH_TYPES: Readonly<Record<string, Credentials['type']>> = {
  password: 'password',
  v3password: 'password',
  v3applicationcredential: 'application-credential',
};

/**
 * The kind is that of the first source that has any: an application credential of the environment does not replace
 * the password in cloud.conf.
 */
export function readCredentials(
  sources: readonly Access[],
  access: Access,
  problems: string[],
): Credentials | undefined {
  const kind = sources.map(kindOf).find((found) => found !== undefined);
  if (kind === undefined) {
    problems.push(
      'no credentials: give a user with password and project, or an application credential with its secret, in cloud.conf, clouds.yaml or OS_*',
    );
    return undefined;
  }
  if (kind.refused !== undefined) {
    problems.push(`levelset does not log in by ${kind.refused}: use a password or an application credential`);
    return undefined;
  }
  return kind.type === 'password' ? passwordOf(access, problems) : applicationCredentialOf(access, problems);
}

function kindOf(access: Access): { type: Credentials['type']; refused?: string } | undefined {
  const { authType } = access;
  const refused = Object.entries(REFUSED).find(([field]) => access[field as keyof Access] !== undefined)?.[1];
  if (refused !== undefined) return { type: 'password', refused };
  if (authType !== undefined) {
    const type = AUTH_TYPES[authType];
    return type === undefined ? { type: 'password', refused: 'this auth_type' } : { type };
  }
  const { applicationCredentialId, applicationCredentialName, applicationCredentialSecret } = access;
  if (applicationCredentialId ?? applicationCredentialName ?? applicationCredentialSecret) {
    return { type: 'application-credential' };
  }
  return (access.username ?? access.userId ?? access.password) ? { type: 'password' } : undefined;
}

function passwordOf(access: Access, problems: string[]): Credentials | undefined {
  const { password, userId, username, projectId, projectName } = access;
  const userDomain = domainOf(access.userDomainId, access.userDomainName);
  const projectDomain = domainOf(access.projectDomainId, access.projectDomainName);
  const user = nameOrId('user', userId, username, userDomain, problems);
  const project = nameOrId('project', projectId, projectName, projectDomain, problems);
  if (password === undefined)
    problems.push('a user needs a password: [Global] password, auth.password or OS_PASSWORD');
  if (user === undefined || project === undefined || password === undefined) return undefined;
  return { type: 'password', user, password, project };
}

function applicationCredentialOf(access: Access, problems: string[]): Credentials | undefined {
  const {
    applicationCredentialId: id,
    applicationCredentialName: name,
    applicationCredentialSecret: secret,
  } = access;
  if (secret === undefined)
    problems.push('an application credential needs its secret (application-credential-secret)');
  if (id !== undefined)
    return secret === undefined ? undefined : { type: 'application-credential', id, secret };
  if (name === undefined) {
    problems.push(
      'an application credential needs its id (application-credential-id), or its name and its user',
    );
    return undefined;
  }
  const userDomain = domainOf(access.userDomainId, access.userDomainName);
  const user = nameOrId('user', access.userId, access.username, userDomain, problems);
  return secret === undefined || user === undefined
    ? undefined
    : { type: 'application-credential', name, user, secret };
}

function domainOf(id: string | undefined, name: string | undefined): DomainRef | undefined {
  if (id !== undefined) return { id };
  return name === undefined ? undefined : { name };
}

function nameOrId(
  what: 'user' | 'project',
  id: string | undefined,
  name: string | undefined,
  domain: DomainRef | undefined,
  problems: string[],
): NameOrId | undefined {
  if (id !== undefined) return { id };
  if (name === undefined) {
    problems.push(`no ${what}: give its id, or its name and domain`);
    return undefined;
  }
  if (domain === undefined) {
    problems.push(
      `the ${what} needs a domain beside its name: give the ${what}'s domain id or name, or domain-name for both`,
    );
    return undefined;
  }
  return { name, domain };
}

/** Whose login it is, for the operator. Not the secret. */
export function nameOfLogin(credentials: Credentials): string {
  if (credentials.type === 'password') {
    const { user, project } = credentials;
    return `${named('user', user)} for ${named('project', project)}`;
  }
  const { id, name, user } = credentials;
  if (id !== undefined) return `application credential ${id}`;
  return `application credential ${quote(name)}${user === undefined ? '' : ` of ${named('user', user)}`}`;
}

function named(what: string, thing: NameOrId): string {
  if ('id' in thing) return `${what} ${thing.id}`;
  const { domain } = thing;
  return `${what} ${quote(thing.name)} of domain ${'id' in domain ? domain.id : quote(domain.name)}`;
}
