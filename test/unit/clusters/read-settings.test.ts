import { expect, onTestFinished, test, vi } from 'vitest';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { readSettings } from '../../../shared/clusters/read-settings.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { flagsOfCluster, flagsOf } from '../../../shared/config/read-flags.ts';
import { cloudConf, kubeconfig, PEM, WHOLE } from './entry-texts.ts';

const DEPLOYMENT = {
  flags: {
    kubeconfig: '/of/the/deployment',
    cloudConfig: '/cloud.conf',
    clusterName: 'main',
    orphanDelay: '2h',
  },
  env: {
    HTTPS_PROXY: 'http://proxy.example:3128',
    OS_CLOUD: 'machine',
    OS_PASSWORD: 'p',
    HOME: '/root',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
  },
};

async function read(texts: Texts) {
  const problems: string[] = [];
  const settings = await readSettings('prod-a', texts, DEPLOYMENT, problems);
  return { settings, problems };
}

test('texts become the variables that the functions on AWS read, and nothing of the machine is beside them', async () => {
  const files = { 'ca-file': PEM, 'cert-file': PEM, 'key-file': PEM };
  const others = { flags: 'cluster-cidr=10.0.0.0/8', 'audit-tokens': 'not for a connection' };
  const { settings, problems } = await read({ ...WHOLE, ...files, ...others });
  expect(problems).toEqual([]);
  expect(settings).toEqual({
    flags: { clusterName: 'prod-a', clusterCidr: '10.0.0.0/8', orphanDelay: '2h' },
    env: {
      HTTPS_PROXY: 'http://proxy.example:3128',
      LEVELSET_KUBECONFIG_TEXT: WHOLE.kubeconfig,
      LEVELSET_CLOUD_CONFIG_TEXT: WHOLE['cloud.conf'],
      LEVELSET_CA_FILE_TEXT: PEM,
      LEVELSET_CERT_FILE_TEXT: PEM,
      LEVELSET_KEY_FILE_TEXT: PEM,
    },
    warnings: [],
  });
  const { config } = await loadConfig(settings?.flags ?? {}, settings?.env ?? {});
  expect(config).toMatchObject({
    clusterName: 'prod-a',
    clusterCidrs: ['10.0.0.0/8'],
    orphanDelayMs: 7_200_000,
  });
  expect(config.openstack).toMatchObject({ ca: PEM, authUrl: 'https://keystone.example/v3' });
});

test('the UID that the cluster has to have, and a name before that of the entry, stand in the entry', async () => {
  expect((await read({ ...WHOLE, uid: ' 6d0f-1\n' })).settings?.uid).toBe('6d0f-1');
  const { settings } = await read({ ...WHOLE, flags: 'cluster-name=kubernetes' });
  expect(settings?.flags.clusterName).toBe('kubernetes');
});

const ALIAS = kubeconfig().replace(
  'token: hunter2-of-kubernetes',
  '&key exec: x\n      *key : { command: /bin/sh }',
);
const NO_LOGIN = 'must be left out: no login can run here; give a token or a client certificate';
const OUT = 'leads out of the entry';
const asConfig = (cluster: object, user?: object): Texts => ({
  ...WHOLE,
  kubeconfig: kubeconfig(cluster, user),
});
const asCloud = (more: string): Texts => ({ ...WHOLE, 'cloud.conf': cloudConf(more) });

// prettier-ignore
test.each<[string, Texts, ...(readonly string[])]>([
  ['has nothing to connect to', { flags: '' }, 'kubeconfig is missing: without it there is nothing to connect to', 'cloud.conf is missing: without it there is nothing to connect to'],
  ['is still being written', { ...WHOLE, kubeconfig: ' \n', 'ca-file': '' }, 'kubeconfig is empty', 'ca-file is empty'],
  ['is longer than anybody needs', { ...WHOLE, flags: '#'.repeat(262_145) }, 'flags is longer than 262144 characters: no such text needs more'],
  ['starts a program', asConfig({}, { exec: { command: '/bin/hunter2' } }), `kubeconfig: users[0].user.exec: ${NO_LOGIN}`],
  ['starts a program by an alias', { ...WHOLE, kubeconfig: ALIAS }, `kubeconfig: users[0].user.exec: ${NO_LOGIN}`],
  ['logs in elsewhere', asConfig({}, { 'auth-provider': { name: 'oidc' } }), `kubeconfig: users[0].user.auth-provider: ${NO_LOGIN}`],
  ['names a token file', asConfig({}, { tokenFile: '/var/run/hunter2' }), `kubeconfig: users[0].user.tokenFile: must be left out, as it ${OUT}: give token`],
  ['names the file of a CA', asConfig({ 'certificate-authority': 'hunter2' }), `kubeconfig: clusters[0].cluster.certificate-authority: must be left out, as it ${OUT}: give certificate-authority-data, as kubectl config view --minify --flatten --raw does`],
  ...['client-certificate', 'client-key'].map((field): [string, Texts, string] =>
    [`names the file of a ${field}`, asConfig({}, { [field]: 'hunter2' }), `kubeconfig: users[0].user.${field}: must be left out, as it ${OUT}: give ${field}-data, as kubectl config view --minify --flatten --raw does`]),
  ['uses clouds.yaml', asCloud('use-clouds\nclouds-file = /etc/hunter2'), ...['5: [Global] use-clouds', '6: [Global] clouds-file'].map((it) => `cloud.conf:${it} ${OUT}: leave it out, and give auth-url and credentials here`)],
  ...['ca-file', 'cert-file', 'key-file'].map((key): [string, Texts, string] =>
    [`has a path in ${key}`, asCloud(`${key} = /etc/hunter2`), `cloud.conf:5: [Global] ${key} ${OUT}: put the text of the file into ${key} of the entry`]),
  ['has a line that is none', asCloud('hunter2 hunter2'), 'cloud.conf:5: a key is followed by = and has only letters, digits and -; a value goes on in the next line after a backslash alone'],
  ['has no credentials', { ...WHOLE, 'cloud.conf': '[Global]\nauth-url = https://k/v3' }, 'cloud.conf: no credentials: give a user with password and project, or an application credential with its secret, in cloud.conf, clouds.yaml or OS_* (an entry reads neither clouds.yaml nor OS_*)'],
  ['has a PEM text that is none', { ...WHOLE, 'ca-file': 'hunter2' }, 'ca-file has no PEM in it (-----BEGIN ...)'],
  ['has a certificate without its key', { ...WHOLE, 'cert-file': PEM }, 'cloud.conf: a client certificate needs both cert-file and key-file'],
  ['has a flag of the deployment', { ...WHOLE, flags: 'sweep-interval=1s' }, 'flags:1: no flag of a cluster has this name: write name=value'],
  ['has a UID that is none', { ...WHOLE, uid: 'two words' }, 'uid is not a UID: give metadata.uid of the namespace kube-system'],
])('an entry that %s cannot be used', async (_what, texts, ...expected) => {
  const { settings, problems } = await read(texts);
  expect([settings, problems]).toEqual([undefined, expected]);
  expect(problems.join()).not.toContain('hunter2');
});

const OF_NOBODY = `${kubeconfig()}  - { name: b, user: { exec: { command: /x } } }\n`;
const NAMESAKES = { token: 'hunter2-of-kubernetes', constructor: 'x', toString: 'y' };

test.each([
  ['a program of a user whom no context names', OF_NOBODY],
  ['a field with the name of what every object has', kubeconfig({}, NAMESAKES)],
  ['a line of which the parser warns, in words that quote it', `${kubeconfig()}? { hunter2: a }\n: b\n`],
])('%s is no problem, and not told', async (_, text) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const { problems } = await read({ ...WHOLE, kubeconfig: text });
  expect([problems, warned.mock.calls]).toEqual([[], []]);
});

test('flags of a cluster are those of the commands that work, and none names a file, a server or the time of the process', () => {
  const working = flagsOf('plan').map(([name]) => name);
  const own = flagsOfCluster().map(([name]) => name);
  expect(own.filter((name) => !working.includes(name))).toEqual([]);
  expect(working.filter((name) => !own.includes(name)).join(' ')).toBe(
    'kubeconfig cloud-config clusters allow-local-servers cluster reconcile-timeout v output namespace detailed-exitcode',
  );
});
