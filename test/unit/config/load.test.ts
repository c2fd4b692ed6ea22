import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { at, CLOUDS, GLOBAL, load, PEM, placeConfigFiles, VARIABLES, type Given } from './config-files.ts';

placeConfigFiles();

const domain = { name: 'Default' };
const password = { type: 'password', user: { name: 'u', domain }, project: { name: 'p', domain } } as const;

it('the configuration has defaults for all but the way to OpenStack, and is frozen', async () => {
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
    credentials: { ...password, password: 'p#w' },
  });
  expect(Object.isFrozen(config) && Object.isFrozen(config.openstack.credentials)).toBe(true);
});

it('the configuration is of --cloud-config before the text of a cloud.conf', async () => {
  const { config } = await load({ cloudConfigText: GLOBAL, cloudConfig: at('cloud.conf') });
  expect(config.openstack.authUrl).toBe('https://file/v3');
});

type Expected = Partial<OpenStackConfig>;
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
  ['a profile of clouds-public.yaml, the default domain and insecure, and takes null for nothing', {}, vendor('vendor'),
    { authUrl: 'https://hoster/v3', interface: 'admin', tlsInsecure: true, credentials: { ...u, project: { name: 'p', domain: { id: 'd' } } } }],
  ['the first of the regions, and the domain that is no default', {}, vendor('regional'), { region: 'north', interface: 'internal', credentials: { ...u, user: { name: 'u', domain }, project: { id: 'p' } } }],
  ['the region that the environment names', {}, vendor('regional', { OS_REGION_NAME: 'south' }), { region: 'south', interface: 'admin' }],
  ['the login of the region that cloud.conf names, whatever the environment says', { cloudConfigText: '[Global]\nuse-clouds\ncloud = a\nregion = Two' },
    { OS_CLIENT_CONFIG_FILE: 'FOLDER/regions.yaml', OS_REGION_NAME: 'One' },
    { authUrl: 'https://two/v3', region: 'Two', credentials: { ...u, project: { name: 'projTwo', domain: { id: 'd' } } } }],
  ['a cloud among 150 that have the same anchor', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/many.yaml', OS_CLOUD: 'c149' }, { authUrl: 'https://many/v3', region: 'r149' }],
  ['clouds.yaml beside an empty secure.yaml', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/empty.yaml' }, { authUrl: 'https://one' }],
  ['a profile of nobody whose auth_url is in secure.yaml', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/split.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/split-secure.yaml' }, { authUrl: 'https://split/v3' }],
  ['a cloud without auth:', {}, vendor('flat'), { authUrl: 'https://flat', tlsInsecure: true, credentials: { ...u, project: { id: 'p' } } }],
  ['variables beside empty ones', {}, {...VARIABLES, OS_CLOUD: '', OS_CLIENT_CONFIG_FILE: '', OS_USER_DOMAIN_NAME: '', OS_DEFAULT_DOMAIN: 'd', LEVELSET_CA_FILE_TEXT: '' },
    { authUrl: 'https://env/v3', credentials: { type: 'password', user: { name: 'e', domain: { id: 'd' } }, password: 'x', project: { name: 'ep', domain } } }],
  ['a check that is turned off', { cloudConfigText: `${GLOBAL}tls-insecure` }, {}, { tlsInsecure: true }],
];
it.each(sources)('the configuration is of %s', async (_what, flags, env, expected) => {
  const { config } = await load(flags, env);
  expect(config.openstack).toMatchObject(expected);
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

// prettier-ignore
it.each<readonly [string, Given, Readonly<Record<string, string>>, readonly string[]]>([
  ['nothing at all', {}, {}, ['no address of Keystone', 'no credentials']],
  ['a file that is not there', { cloudConfig: '/nowhere/cloud.conf' }, {}, ['--cloud-config: there is no such file (ENOENT)']],
  ['flags', { cloudConfigText: GLOBAL, sweepInterval: '5', concurrentServiceSyncs: '0' }, {}, ['--concurrent-service-syncs has a value that is not allowed: give a whole number from 1', '--sweep-interval has a value that is not']],
  ['many things', { cloudConfigText: '[Global]\nusername=u\npassword=hunter2\nos-endpoint-type=x\nca-file=FOLDER\n[LoadBalancer]\nmonitor-delay=5' }, {},
    ['monitor-delay', 'no address', 'needs a domain', 'no project', 'endpoint type', 'CA file']],
  ['no password', { cloudConfigText: GLOBAL.replace(/password.*/, '') }, {}, ['needs a password']],
  ['version 2', { cloudConfigText: GLOBAL.replace('/v3', '/v2.0/') }, {}, ['is that of version 2 of its API']],
  ['a URL with a password', { cloudConfigText: GLOBAL.replace('https://', 'https://u:hunter2@') }, {}, ['http or https URL']],
  ['a trust in clouds.yaml', {}, { ...CLOUDS, OS_CLOUD: 'trusting' }, ['log in by a trust']],
  ['another way in', {}, { ...CLOUDS, OS_CLOUD: 'totp' }, ['log in by this auth_type']],
  ['half an application credential', { cloudConfigText: '[Global]\nauth-url=https://k\napplication-credential-secret=hunter2' }, {}, ['needs its id']],
  ['a CA file without a certificate', { cloudConfigText: `${GLOBAL}ca-file=FOLDER/no.pem` }, {}, ['has no PEM in it']],
  ['half a certificate', { cloudConfigText: `${GLOBAL}cert-file=/nowhere` }, {}, ['cert-file and key-file', 'in / (ENOENT); without a file, as on AWS Lambda, put its text into']],
  ['tls-insecure', { cloudConfigText: `${GLOBAL}tls-insecure=hunter2` }, {}, ['tls-insecure has a value that is not allowed: give true, yes, on']],
  ['no such cloud', {}, { ...CLOUDS, OS_CLOUD: 'dmo' }, ['clouds.yaml: OS_CLOUD names no cloud of it; there are 4; did you mean demo?']],
  ['a profile of nobody', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/vendor.yaml', OS_CLOUD: 'elsewhere' }, ['the cloud has no auth_url, and no clouds-public.yaml has its profile; levelset knows no vendors of its own']],
  ['a region of cloud.conf that the cloud does not list', { cloudConfigText: '[Global]\nuse-clouds\ncloud = a\nregion = two' }, { OS_CLIENT_CONFIG_FILE: 'FOLDER/regions.yaml' },
    ['regions.yaml: [Global] region names no region of the cloud; there are 2; did you mean Two?']],
  ['no choice of a cloud', {}, CLOUDS, ['OS_CLOUD must name a cloud of it; there are 4']],
  ['aliases of aliases', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/laughs.yaml', OS_CLOUD: 'demo' }, ['laughs.yaml: an alias in it has no anchor, or there are too many aliases']],
  ['a secure.yaml of something else', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/list.yaml' }, ['list.yaml: the file must begin with clouds:']],
  ['YAML of something else', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/list.yaml', OS_CLOUD: 'demo' }, ['must begin with clouds:']],
])('names all that is wrong with %s, and no secret', async (_what, flags, env, says) => {
  const error: unknown = await load(flags, env).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  const { message } = error as Error;
  for (const part of says) expect(message).toContain(part);
  expect(message.split('\n')).toHaveLength(says.length + 1);
  expect(message).not.toContain('hunter2');
});
