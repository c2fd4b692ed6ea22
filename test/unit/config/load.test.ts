import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import type { Flags } from '../../../shared/config/flags.ts';
import { loadConfig } from '../../../shared/config/load.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
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
  'broken.yaml': 'clouds:\n  demo: { auth: { password: "hunter2 }\n',
  'list.yaml': '- hunter2',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'levelset-config-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => path.join(folder, name);

/** Loads without a look at this machine's own files. */
function load(flags: Flags, env: Readonly<Record<string, string>> = {}) {
  const placed = Object.entries(env).map(([key, value]) => [key, value.replace('FOLDER', folder)] as const);
  return loadConfig(flags, { HOME: folder, XDG_CONFIG_HOME: folder, ...Object.fromEntries(placed) });
}

async function problemsOf(flags: Flags, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const error: unknown = await load(flags, env).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  return error instanceof Error ? error.message : '';
}

const GLOBAL = `[Global]
auth-url = https://k/v3
region = R
username = u
password = "p#w"
tenant-name = p
domain-name = Default
`;
const CLOUDS = { OS_CLIENT_CONFIG_FILE: 'FOLDER/clouds.yaml' };
const VARIABLES = {
  OS_PROJECT_ID: '',
  OS_AUTH_URL: 'https://env/v3',
  OS_USERNAME: 'e',
  OS_PASSWORD: 'x',
  OS_PROJECT_NAME: 'ep',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PROJECT_DOMAIN_NAME: 'Default',
};
const domain = { name: 'Default' };

describe('loadConfig', () => {
  it('has defaults for all but the way to OpenStack, and is frozen', async () => {
    const { config, warnings } = await load({ cloudConfigText: GLOBAL });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      clusterName: 'kubernetes',
      namespace: 'kube-system',
      reconcileTimeoutMs: 60_000,
      sweepIntervalMs: 300_000,
      concurrentServiceSyncs: 10,
      loadBalancer: { lbProvider: 'amphora' },
    });
    expect(config.openstack).toEqual({
      authUrl: 'https://k/v3',
      region: 'R',
      interface: 'public',
      tlsInsecure: false,
      requestTimeoutMs: 60_000,
      credentials: {
        type: 'password',
        user: { name: 'u', domain },
        password: 'p#w',
        project: { name: 'p', domain },
      },
    });
    expect(Object.isFrozen(config) && Object.isFrozen(config.openstack.credentials)).toBe(true);
  });

  it('takes the flags', async () => {
    const { config } = await load({
      cloudConfigText: GLOBAL,
      clusterName: 'c',
      loadBalancerClass: 'l',
      namespace: 'n',
      reconcileTimeout: '90s',
      sweepInterval: '1h',
      concurrentServiceSyncs: '3',
    });
    expect(config).toMatchObject({
      clusterName: 'c',
      loadBalancerClass: 'l',
      namespace: 'n',
      reconcileTimeoutMs: 90_000,
      sweepIntervalMs: 3_600_000,
      concurrentServiceSyncs: 3,
    });
  });

  it('takes cloud.conf from the environment', async () => {
    const { config } = await load({}, { LEVELSET_CLOUD_CONFIG_TEXT: GLOBAL });
    expect(config.openstack.authUrl).toBe('https://k/v3');
  });

  type Expected = Partial<OpenStackConfig>;
  const password = { type: 'password', user: { name: 'u', domain }, project: { name: 'p', domain } } as const;
  const sources: readonly [string, Flags, Readonly<Record<string, string>>, Expected][] = [
    [
      'cloud.conf alone, whatever the environment says',
      { cloudConfigText: GLOBAL },
      VARIABLES,
      { authUrl: 'https://k/v3' },
    ],
    [
      'clouds.yaml with secure.yaml',
      {},
      { ...CLOUDS, OS_CLOUD: 'demo' },
      {
        authUrl: 'https://yaml/v3',
        region: 'R',
        interface: 'internal',
        tlsInsecure: true,
        credentials: { ...password, project: { name: 'p', domain: { id: 'default' } }, password: '0042' },
      },
    ],
    [
      'an application credential in clouds.yaml',
      {},
      { ...CLOUDS, OS_CLOUD: 'other' },
      {
        authUrl: 'https://other/v3',
        credentials: { type: 'application-credential', id: 'i', secret: '0123' },
      },
    ],
    [
      'the only cloud there is',
      {},
      { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml' },
      { authUrl: 'https://one' },
    ],
    [
      'variables',
      {},
      VARIABLES,
      {
        authUrl: 'https://env/v3',
        credentials: {
          ...password,
          user: { name: 'e', domain },
          project: { name: 'ep', domain },
          password: 'x',
        },
      },
    ],
    [
      'variables before a clouds.yaml nobody named',
      {},
      { ...VARIABLES, ...CLOUDS },
      { authUrl: 'https://env/v3' },
    ],
    [
      'cloud.conf, then clouds.yaml, then variables',
      { cloudConfigText: '[Global]\nuse-clouds\ncloud = demo\nusername = conf' },
      { ...CLOUDS, ...VARIABLES, OS_REGION_NAME: 'E', OS_CACERT: 'FOLDER/ca.pem' },
      {
        authUrl: 'https://yaml/v3',
        region: 'R',
        ca: PEM,
        credentials: {
          ...password,
          user: { name: 'conf', domain },
          project: { name: 'p', domain: { id: 'default' } },
          password: '0042',
        },
      },
    ],
    [
      'the password of cloud.conf, though the environment has an application credential',
      { cloudConfigText: `${GLOBAL}use-clouds\ncloud = demo` },
      { ...CLOUDS, OS_APPLICATION_CREDENTIAL_ID: 'i', OS_APPLICATION_CREDENTIAL_SECRET: 's' },
      { credentials: { ...password, password: 'p#w' } },
    ],
    [
      'the project that cloud.conf names before an id that the environment has',
      { cloudConfigText: GLOBAL + 'use-clouds\ncloud = demo' },
      { ...CLOUDS, OS_PROJECT_ID: 'other', OS_USER_ID: 'other' },
      { credentials: { ...password, password: 'p#w' } },
    ],
    [
      'the name of an application credential with its user',
      {
        cloudConfigText:
          '[Global]\nauth-url=https://k\napplication-credential-name=n\napplication-credential-secret=s\nuser-id=u',
      },
      {},
      { credentials: { type: 'application-credential', name: 'n', user: { id: 'u' }, secret: 's' } },
    ],
  ];
  it.each(sources)('uses %s', async (_what, flags, env, expected) => {
    const { config } = await load(flags, env);
    expect(config.openstack).toMatchObject(expected);
  });

  it.each<readonly [string, Flags, Readonly<Record<string, string>>, readonly string[]]>([
    ['nothing at all', {}, {}, ['no address of Keystone', 'no credentials']],
    [
      'a file that is not there',
      { cloudConfig: '/nowhere/cloud.conf' },
      {},
      ['/nowhere/cloud.conf cannot be read: ENOENT'],
    ],
    [
      'flags',
      { cloudConfigText: GLOBAL, sweepInterval: '5', concurrentServiceSyncs: 0 },
      {},
      ['--sweep-interval is a duration', '--concurrent-service-syncs is a whole number'],
    ],
    [
      'many things',
      {
        cloudConfigText:
          '[Global]\nusername=u\npassword=hunter2\nos-endpoint-type=x\nca-file=FOLDER\n[LoadBalancer]\nmonitor-delay=5',
      },
      {},
      ['monitor-delay', 'no address', 'needs a domain', 'no project', 'endpoint type', 'CA file'],
    ],
    ['no password', { cloudConfigText: GLOBAL.replace(/password.*/, '') }, {}, ['needs a password']],
    ['version 2', { cloudConfigText: GLOBAL.replace('/v3', '/v2.0/') }, {}, ['is version 2 of Keystone']],
    [
      'a URL with a password',
      { cloudConfigText: GLOBAL.replace('https://', 'https://u:hunter2@') },
      {},
      ['http or https URL'],
    ],
    ['a trust', { cloudConfigText: `${GLOBAL}trust-id=t` }, {}, ['log in by a trust']],
    ['a token', { cloudConfigText: `${GLOBAL}token=hunter2` }, {}, ['log in by a token']],
    ['a trust in clouds.yaml', {}, { ...CLOUDS, OS_CLOUD: 'trusting' }, ['log in by a trust']],
    ['another way in', {}, { ...CLOUDS, OS_CLOUD: 'totp' }, ['auth_type "v3totp"']],
    [
      'half an application credential',
      { cloudConfigText: '[Global]\nauth-url=https://k\napplication-credential-secret=hunter2' },
      {},
      ['needs its id'],
    ],
    [
      'half a certificate',
      { cloudConfigText: `${GLOBAL}cert-file=/nowhere` },
      {},
      ['cert-file and key-file', 'ENOENT'],
    ],
    ['tls-insecure', { cloudConfigText: `${GLOBAL}tls-insecure=yes` }, {}, ['tls-insecure is true or false']],
    [
      'no such cloud',
      {},
      { ...CLOUDS, OS_CLOUD: 'dmo' },
      ['no cloud "dmo"; it has demo, other, trusting, totp; did you mean demo?'],
    ],
    ['no choice of a cloud', {}, CLOUDS, ['which cloud?']],
    [
      'no clouds.yaml',
      { cloudConfigText: '[Global]\nuse-clouds\nclouds-file=/nowhere/c.yaml' },
      {},
      ['no clouds.yaml: looked for /nowhere/c.yaml'],
    ],
    ['broken YAML', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/broken.yaml', OS_CLOUD: 'demo' }, ['broken.yaml:']],
    [
      'YAML of something else',
      {},
      { OS_CLIENT_CONFIG_FILE: 'FOLDER/list.yaml', OS_CLOUD: 'demo' },
      ['begins with clouds:'],
    ],
  ])('names all that is wrong with %s, and no secret', async (_what, flags, env, says) => {
    const message = await problemsOf(flags, env);
    for (const part of says) expect(message).toContain(part);
    expect(message.split('\n')).toHaveLength(says.length + 1);
    expect(message).not.toContain('hunter2');
  });

  it('tells a CA file without a certificate', async () => {
    expect(await problemsOf({ cloudConfigText: `${GLOBAL}ca-file=${at('no.pem')}` })).toContain(
      'holds no PEM',
    );
  });
});
