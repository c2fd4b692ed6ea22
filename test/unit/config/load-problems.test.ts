import { expect, it } from 'vitest';
import { at, CLOUDS, GLOBAL, load, placeConfigFiles, type Given } from './config-files.ts';

placeConfigFiles();

async function problemsOf(flags: Given, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const error: unknown = await load(flags, env).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  return error instanceof Error ? error.message : '';
}

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
  ['a trust', { cloudConfigText: `${GLOBAL}trust-id=t` }, {}, ['log in by a trust']],
  ['a token', { cloudConfigText: `${GLOBAL}token=hunter2` }, {}, ['log in by a token']],
  ['a trust in clouds.yaml', {}, { ...CLOUDS, OS_CLOUD: 'trusting' }, ['log in by a trust']],
  ['another way in', {}, { ...CLOUDS, OS_CLOUD: 'totp' }, ['log in by this auth_type']],
  ['half an application credential', { cloudConfigText: '[Global]\nauth-url=https://k\napplication-credential-secret=hunter2' }, {}, ['needs its id']],
  ['half a certificate', { cloudConfigText: `${GLOBAL}cert-file=/nowhere` }, {}, ['cert-file and key-file', 'in / (ENOENT); without a file, as on AWS Lambda, put its text into']],
  ['tls-insecure', { cloudConfigText: `${GLOBAL}tls-insecure=hunter2` }, {}, ['tls-insecure has a value that is not allowed: give true, yes, on']],
  ['no such cloud', {}, { ...CLOUDS, OS_CLOUD: 'dmo' }, ['clouds.yaml: OS_CLOUD names no cloud of it; there are 4; did you mean demo?']],
  ['a profile of nobody', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/vendor.yaml', OS_CLOUD: 'elsewhere' }, ['the cloud has no auth_url, and no clouds-public.yaml has its profile; levelset knows no vendors of its own']],
  ['a region of cloud.conf that the cloud does not list', { cloudConfigText: '[Global]\nuse-clouds\ncloud = a\nregion = two' }, { OS_CLIENT_CONFIG_FILE: 'FOLDER/regions.yaml' },
    ['regions.yaml: [Global] region names no region of the cloud; there are 2; did you mean Two?']],
  ['a region of the environment that the cloud does not list', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/regions.yaml', OS_REGION_NAME: 'elsewhere' }, ['regions.yaml: OS_REGION_NAME names no region of the cloud; there are 2']],
  ['no choice of a cloud', {}, CLOUDS, ['OS_CLOUD must name a cloud of it; there are 4']],
  ['no clouds.yaml', { cloudConfigText: '[Global]\nuse-clouds\nclouds-file=/nowhere/c.yaml' }, {}, ['clouds.yaml ([Global] clouds-file): there is no such file (ENOENT)']],
  ['aliases of aliases', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/laughs.yaml', OS_CLOUD: 'demo' }, ['laughs.yaml: an alias in it has no anchor, or there are too many aliases']],
  ['a secure.yaml of something else', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/single.yaml', OS_CLIENT_SECURE_FILE: 'FOLDER/list.yaml' }, ['list.yaml: the file must begin with clouds:']],
  ['broken YAML', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/broken.yaml', OS_CLOUD: 'demo' }, ['broken.yaml:']],
  ['YAML of something else', {}, { OS_CLIENT_CONFIG_FILE: 'FOLDER/list.yaml', OS_CLOUD: 'demo' }, ['must begin with clouds:']],
])('names all that is wrong with %s, and no secret', async (_what, flags, env, says) => {
  const message = await problemsOf(flags, env);
  for (const part of says) expect(message).toContain(part);
  expect(message.split('\n')).toHaveLength(says.length + 1);
  expect(message).not.toContain('hunter2');
});

it('tells a CA file without a certificate', async () => {
  expect(await problemsOf({ cloudConfigText: `${GLOBAL}ca-file=${at('no.pem')}` })).toContain(
    'has no PEM in it',
  );
});
