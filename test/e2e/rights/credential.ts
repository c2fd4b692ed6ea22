/** An application credential of levelset's user that may make these calls and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { AccessRule } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { cloudConfig } from '../lab/cloud-config.ts';
import { lab, type CloudEntry } from '../lab/environment.ts';
import { OpenStack } from '../lab/openstack.ts';

export interface Credential {
  readonly cloud: CloudEntry;
  /** Path of a cloud.conf that logs in with it. */
  readonly cloudConfig: string;
  /** It is no more. */
  readonly remove: () => Promise<void>;
}

/** What `openstack application credential create --access-rules` is told to take. */
export const rulesOfFile = (): readonly AccessRule[] =>
  JSON.parse(
    readFileSync(join(lab().repository, 'infra/openstack/access-rules.json'), 'utf8'),
  ) as readonly AccessRule[];

export async function makeCredential(name: string, rules: readonly AccessRule[]): Promise<Credential> {
  const { levelsetCloud, levelsetUser, directory, resources } = lab();
  const user = new OpenStack(levelsetCloud);
  const path = `/users/${levelsetUser}/application_credentials`;
  const { application_credential: made } = await user.must<{
    application_credential: { id: string; secret: string };
  }>('identity', 'POST', path, {
    application_credential: {
      name: `${name}-${Date.now()}`,
      access_rules: rules,
      roles: [{ name: 'load-balancer_member' }, { name: 'member' }],
    },
  });
  const cloud = {
    ...levelsetCloud,
    auth_type: 'v3applicationcredential',
    auth: {
      auth_url: levelsetCloud.auth['auth_url'] ?? '',
      application_credential_id: made.id,
      application_credential_secret: made.secret,
    },
  };
  const file = join(directory, `${name}.cloud.conf`);
  await writeFile(file, cloudConfig(cloud, resources), { mode: 0o600 });
  const remove = async (): Promise<void> => {
    await user.must('identity', 'DELETE', `${path}/${made.id}`);
  };
  return { cloud, cloudConfig: file, remove };
}
