import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessRule } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import type { CloudEntry } from './environment.ts';
import { OpenStack } from './openstack.ts';
import { REPOSITORY } from './places.ts';

/** An application credential. */
export interface Credential {
  readonly cloud: CloudEntry;
  /** It is no more. */
  readonly remove: () => Promise<void>;
}

/** So begin the names of all that tests make. */
const PREFIX = 'e2e-';
const OWN_PREFIX = `${PREFIX}${process.pid}-`;

/** What `openstack application credential create --access-rules` is told to take. */
export const allRules = (): readonly AccessRule[] =>
  JSON.parse(
    readFileSync(join(REPOSITORY, 'infra/openstack/access-rules.json'), 'utf8'),
  ) as readonly AccessRule[];

/** A credential of this user, who logs in with a password, that may make these calls and no other. */
export async function makeCredential(
  login: CloudEntry,
  access_rules: readonly AccessRule[],
): Promise<Credential> {
  const user = new OpenStack(login);
  const path = await pathOf(user);
  const roles = [{ name: 'load-balancer_member' }, { name: 'member' }, { name: 'creator' }];
  const name = `${OWN_PREFIX}${crypto.randomUUID()}`;
  const { application_credential: made } = await user.must<{
    application_credential: { id: string; secret: string };
  }>('identity', 'POST', path, { application_credential: { name, access_rules, roles } });
  const cloud = {
    ...login,
    auth: {
      auth_url: login.auth['auth_url'] ?? '',
      application_credential_id: made.id,
      application_credential_secret: made.secret,
    },
  };
  const remove = async (): Promise<void> => {
    await user.must('identity', 'DELETE', `${path}/${made.id}`);
  };
  return { cloud, remove };
}

/** Those of a run that was cut off: not those of this process, whose clusters share a user. */
export async function removeOldCredentials(login: CloudEntry): Promise<void> {
  const user = new OpenStack(login);
  const path = await pathOf(user);
  const { application_credentials: all } = await user.must<{
    application_credentials: readonly { id: string; name: string }[];
  }>('identity', 'GET', path);
  for (const { id, name } of all)
    if (name.startsWith(PREFIX) && !name.startsWith(OWN_PREFIX))
      await user.must('identity', 'DELETE', `${path}/${id}`);
}

const pathOf = async (user: OpenStack): Promise<string> =>
  `/users/${(await user.session()).userId}/application_credentials`;
