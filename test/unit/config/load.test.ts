import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { at, CLOUDS, GLOBAL, load, PEM, placeConfigFiles, VARIABLES, type Given } from './config-files.ts';

placeConfigFiles();

const domain = { name: 'Default' };

describe('loadConfig', () => {
  it('has defaults for all but the way to OpenStack, and is frozen', async () => {
    const { config, warnings } = await load({ cloudConfigText: GLOBAL });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      clusterName: 'kubernetes',
      stateNamespace: 'levelset',
      serviceAccount: 'levelset/levelset',
      reconcileTimeoutMs: 60_000,
      sweepIntervalMs: 300_000,
      concurrentServiceSyncs: 15,
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
      stateNamespace: 'n',
      serviceAccount: 'n/l',
      reconcileTimeout: '90s',
      sweepInterval: '1h',
      concurrentServiceSyncs: '3',
    });
    expect(config).toMatchObject({
      clusterName: 'c',
      loadBalancerClass: 'l',
      stateNamespace: 'n',
      serviceAccount: 'n/l',
      reconcileTimeoutMs: 90_000,
      sweepIntervalMs: 3_600_000,
      concurrentServiceSyncs: 3,
    });
  });

  it('counts an empty name as none', async () => {
    const { config } = await load({ cloudConfigText: GLOBAL, loadBalancerClass: '', clusterName: '' });
    expect(config).not.toHaveProperty('loadBalancerClass');
    expect(config.clusterName).toBe('kubernetes');
  });

  it('takes --cloud-config before the text of a cloud.conf', async () => {
    const { config } = await load({ cloudConfigText: GLOBAL, cloudConfig: at('cloud.conf') });
    expect(config.openstack.authUrl).toBe('https://file/v3');
  });

  type Expected = Partial<OpenStackConfig>;
  const password = { type: 'password', user: { name: 'u', domain }, project: { name: 'p', domain } } as const;
  const vendor = (name: string, more: object = {}) => ({
    OS_CLIENT_CONFIG_FILE: 'FOLDER/vendor.yaml',
    OS_CLOUD: name,
    ...more,
  });
  const u = { type: 'password', user: { name: 'u', domain: { id: 'd' } }, password: 'p' } as const;
  // prettier-ignore
  const sources: [string, Given, Readonly<Record<string, string>>, Expected][] = [
    ['cloud.conf alone, whatever the environment says', { cloudConfigText: GLOBAL }, VARIABLES, { authUrl: 'https://k/v3' }],
    ['clouds.yaml with secure.yaml', {}, { ...CLOUDS, OS_CLOUD: 'demo' },
      { authUrl: 'https://yaml/v3', region: 'R', interface: 'internal', tlsInsecure: true, credentials: { ...password, project: { name: 'p', domain: { id: 'default' } }, password: '0042' } }],
    ['an application credential in clouds.yaml', {}, { ...CLOUDS, OS_CLOUD: 'other' }, { authUrl: 'https://other/v3', credentials: { type: 'application-credential', id: 'i', secret: '0123' } }],
    ['the only cloud there is', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml' }, { authUrl: 'https://one' }],
    ['variables', {}, VARIABLES, { authUrl: 'https://env/v3', credentials: {...password, user: { name: 'e', domain }, project: { name: 'ep', domain }, password: 'x' } }],
    ['variables before a clouds.yaml nobody named', {}, { ...VARIABLES, ...CLOUDS }, { authUrl: 'https://env/v3' }],
    ['cloud.conf, then clouds.yaml, then variables', { cloudConfigText: '[Global]\nuse-clouds\ncloud = demo\nusername = conf' },
      { ...CLOUDS, ...VARIABLES, OS_REGION_NAME: 'E', OS_CACERT: 'FOLDER/ca.pem' },
      { authUrl: 'https://yaml/v3', region: 'R', ca: PEM, credentials: {...password, user: { name: 'conf', domain }, project: { name: 'p', domain: { id: 'default' } }, password: '0042' } }],
    ['the password of cloud.conf, though the environment has an application credential', { cloudConfigText: `${GLOBAL}use-clouds\ncloud = demo` },
      { ...CLOUDS, OS_APPLICATION_CREDENTIAL_ID: 'i', OS_APPLICATION_CREDENTIAL_SECRET: 's' }, { credentials: { ...password, password: 'p#w' } }],
    ['the project that cloud.conf names before an id that the environment has', { cloudConfigText: GLOBAL + 'use-clouds\ncloud = demo' },
      { ...CLOUDS, OS_PROJECT_ID: 'other', OS_USER_ID: 'other' }, { credentials: { ...password, password: 'p#w' } }],
    ['the name of an application credential with its user',
      { cloudConfigText: '[Global]\nauth-url=https://k\napplication-credential-name=n\napplication-credential-secret=s\nuser-id=u' }, {},
      { credentials: { type: 'application-credential', name: 'n', user: { id: 'u' }, secret: 's' } }],
    ['a profile of clouds-public.yaml, the default domain and insecure, and takes null for nothing', {}, vendor('vendor'),
      { authUrl: 'https://hoster/v3', interface: 'admin', tlsInsecure: true, credentials: { ...u, project: { name: 'p', domain: { id: 'd' } } } }],
    ['the first of the regions, and the domain that is no default', {}, vendor('regional'), { region: 'north', interface: 'internal', credentials: { ...u, user: { name: 'u', domain }, project: { id: 'p' } } }],
    ['the region that the environment names', {}, vendor('regional', { OS_REGION_NAME: 'south' }), { region: 'south', interface: 'admin' }],
    ['the login of the region that cloud.conf names, whatever the environment says', { cloudConfigText: '[Global]\nuse-clouds\ncloud = a\nregion = Two' },
      { OS_CLIENT_CONFIG_FILE: 'FOLDER/regions.yaml', OS_REGION_NAME: 'One' },
      { authUrl: 'https://two/v3', region: 'Two', credentials: { ...u, project: { name: 'projTwo', domain: { id: 'd' } } } }],
    ['a cloud among 150 that have the same anchor', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/many.yaml', OS_CLOUD: 'c149' }, { authUrl: 'https://many/v3', region: 'r149' }],
    ['the last of a key that stands twice', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/twice.yaml' }, { authUrl: 'https://twice/v3', region: 'b' }],
    ['clouds.yaml beside an empty secure.yaml', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/empty.yaml' }, { authUrl: 'https://one' }],
    ['clouds.yaml beside a secure.yaml with comments alone', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/comments.yaml' }, { authUrl: 'https://one' }],
    ['a profile of nobody whose auth_url is in secure.yaml', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/split.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/split-secure.yaml' }, { authUrl: 'https://split/v3' }],
    ['a profile of nobody whose auth_url is in cloud.conf', { cloudConfigText: '[Global]\nuse-clouds\nauth-url = https://conf/v3\npassword = p' }, { OS_CLIENT_CONFIG_FILE: 'FOLDER/split.yaml' }, { authUrl: 'https://conf/v3' }],
    ['a cloud without auth:', {}, vendor('flat'), { authUrl: 'https://flat', tlsInsecure: true, credentials: { ...u, project: { id: 'p' } } }],
    ['variables beside empty ones', {}, {...VARIABLES, OS_CLOUD: '', OS_CLIENT_CONFIG_FILE: '', OS_USER_DOMAIN_NAME: '', OS_DEFAULT_DOMAIN: 'd', LEVELSET_CA_FILE_TEXT: '' },
      { authUrl: 'https://env/v3', credentials: { type: 'password', user: { name: 'e', domain: { id: 'd' } }, password: 'x', project: { name: 'ep', domain } } }],
    ['the only cloud beside an empty OS_CLOUD', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLOUD: '' }, { authUrl: 'https://one' }],
    ['a check that is not turned off', { cloudConfigText: `${GLOBAL}tls-insecure=False` }, {}, { tlsInsecure: false }],
    ['a check that is turned off', { cloudConfigText: `${GLOBAL}tls-insecure` }, {}, { tlsInsecure: true }],
  ];
  it.each(sources)('uses %s', async (_what, flags, env, expected) => {
    const { config } = await load(flags, env);
    expect(config.openstack).toMatchObject(expected);
  });
});

it('warns of a cloud.conf that all users can read, and of a check that is turned off', async () => {
  chmodSync(at('cloud.conf'), 0o640);
  expect((await load({ cloudConfig: at('cloud.conf') })).warnings).toEqual([]);
  chmodSync(at('cloud.conf'), 0o644);
  expect((await load({ cloudConfig: at('cloud.conf') })).warnings).toEqual([
    `${at('cloud.conf')} has a password, and every user of this machine can read it: chmod 600`,
  ]);
  const { warnings } = await load({ cloudConfigText: `${GLOBAL}\ntls-insecure = true` });
  expect(warnings).toEqual([
    expect.stringContaining('tls-insecure: certificates of OpenStack are not checked'),
  ]);
});

it.each([
  ['cloud.conf', { cloudConfig: 'cloud.conf' }, {}, 'FOLDER/cloud.conf'],
  ['the text of cloud.conf', { cloudConfigText: GLOBAL }, {}, 'LEVELSET_CLOUD_CONFIG_TEXT'],
  ['secure.yaml', {}, { ...CLOUDS, OS_CLOUD: 'demo' }, 'FOLDER/secure.yaml'],
  ['clouds.yaml', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml' }, 'FOLDER/single.yaml'],
  ['variables', {}, VARIABLES, 'the variables OS_*'],
])('a password of %s is known to be there', async (_what, { cloudConfig, ...given }: Given, env, from) => {
  const flags = cloudConfig === undefined ? given : { cloudConfig: at(cloudConfig) };
  expect((await load(flags, env)).secretFrom).toBe(from.replace('FOLDER', at('.').replace(/\/\.?$/, '')));
});
