import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { aFolder } from '../../support/for-one-test.ts';

export const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
export const GLOBAL = `[Global]
auth-url = https://k/v3
region = R
username = u
password = "p#w"
tenant-name = p
domain-name = Default
`;
const FILES: Readonly<Record<string, string>> = {
  'ca.pem': PEM,
  'no.pem': 'x',
  'clouds.yaml': `clouds:
  demo:
    auth: &auth
      auth_url: https://yaml/v3
      username: u
      project_name: p
      user_domain_name: Default
      project_domain_id: default
    region_name: R
    interface: internalURL
    verify: false
  other:
    auth_type: v3applicationcredential
    auth: { auth_url: https://other/v3, application_credential_id: i, application_credential_secret: 0123 }
  trusting:
    auth: { <<: *auth, trust_id: t, password: hunter2 }
  totp:
    auth_type: v3totp
    auth: { <<: *auth }
`,
  'secure.yaml': 'clouds: { demo: { auth: { password: 0042 } } }',
  'single.yaml':
    'clouds: { one: { auth: { auth_url: https://one, username: u, user_domain_id: d, project_id: p, password: x } } }',
  'vendor.yaml': `clouds:
  vendor:
    profile: hoster
    cacert: null
    cert: ~
    auth_type:
    insecure: Yes
    auth: { username: u, password: p, project_name: p, default_domain: d, user_domain_name: Null }
  regional:
    cloud: hoster
    regions: [{ name: north, values: { interface: internal } }, south]
    auth: { username: u, password: p, project_id: p, domain_name: Default, default_domain: d }
  flat: { auth_url: https://flat, username: u, password: p, project_id: p, user_domain_id: d, verify: 'no' }
  elsewhere: { profile: https://hoster.example, auth: { username: u, password: p } }
`,
  'clouds-public.yaml': `public-clouds:
  hoster: { region_name: null, interface: admin, auth: { auth_url: https://hoster/v3, username: nobody } }
`,
  'regions.yaml': `clouds:
  a:
    auth: { username: u, password: p, user_domain_id: d, project_domain_id: d }
    regions:
      - { name: One, values: { auth: { auth_url: https://one/v3, project_name: projOne } } }
      - { name: Two, values: { auth: { auth_url: https://two/v3, project_name: projTwo } } }
`,
  'many.yaml': `clouds:
  first: &common { auth: { auth_url: https://many/v3, username: u, password: p, project_id: p, user_domain_id: d } }
${Array.from({ length: 150 }, (_, index) => `  c${index}: { <<: *common, region_name: r${index} }\n`).join('')}`,
  'laughs.yaml': `clouds: &a0 [x]\n${Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]\n`).join('')}`,
  'split.yaml': 'clouds: { c: { profile: nobody, auth: { username: u, project_id: p, user_domain_id: d } } }',
  'split-secure.yaml': 'clouds: { c: { auth: { auth_url: https://split/v3, password: p } } }',
  'empty.yaml': '',
  'list.yaml': '- hunter2',
  'cloud.conf': GLOBAL.replace('//k/', '//file/'),
};

let folder: string;

/** Puts the files there for each test of a file. */
export function placeConfigFiles(): void {
  beforeEach(() => {
    folder = aFolder();
    for (const [name, text] of Object.entries(FILES)) writeFileSync(at(name), text);
  });
}

export const at = (name: string): string => path.join(folder, name);

/** Flags, and the text of a cloud.conf. */
export interface Given extends Flags {
  readonly cloudConfigText?: string;
}

/** Loads without a look at this machine's own files. */
export function load({ cloudConfigText, ...flags }: Given, env: Readonly<Record<string, string>> = {}) {
  const placed = Object.entries(env).map(([key, value]) => [key, value.replace('FOLDER', folder)] as const);
  return loadConfig(flags, {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    ...(cloudConfigText !== undefined && {
      LEVELSET_CLOUD_CONFIG_TEXT: cloudConfigText.replace('FOLDER/', `${folder}/`),
    }),
    ...Object.fromEntries(placed),
  });
}

export const CLOUDS = { OS_CLIENT_CONFIG_FILE: 'FOLDER/clouds.yaml' };
export const VARIABLES = {
  OS_PROJECT_ID: '',
  OS_AUTH_URL: 'https://env/v3',
  OS_USERNAME: 'e',
  OS_PASSWORD: 'x',
  OS_PROJECT_NAME: 'ep',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PROJECT_DOMAIN_NAME: 'Default',
};
