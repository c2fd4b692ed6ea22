import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { externalCredential } from '../../../shared/kube/connection/external-credential.ts';
import { readKubeconfig } from '../../../shared/kube/connection/kubeconfig.ts';
import { aFolder } from '../../support/for-one-test.ts';

let folder: string;
beforeEach(() => void (folder = aFolder()));

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const DATA = Buffer.from(PEM).toString('base64');
const KEY = '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n';
const ID_TOKEN = `e30.${Buffer.from('{"exp":4000000000}').toString('base64url')}.x`;
const KEY_DATA = Buffer.from(KEY).toString('base64');

function kubeconfig(cluster: object, user: unknown, top: object = {}): string {
  return stringify({
    'current-context': 'lab',
    contexts: [
      { name: 'lab', context: { cluster: 'c', user: 'u' } },
      { name: 'other', context: {} },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
    ...top,
  });
}

function read(text: string) {
  return readKubeconfig(text, { source: join(folder, 'kc') }, externalCredential);
}

// prettier-ignore
it.each<[string, cluster: object, user: object, found: object]>([
  ['a CA as data', { 'certificate-authority-data': DATA }, {}, { certificateAuthority: PEM }],
  ['a CA beside the kubeconfig', { 'certificate-authority': 'pki/ca.crt' }, {}, { certificateAuthority: PEM }],
  ['data before the file', { 'certificate-authority-data': DATA, 'certificate-authority': 'no' }, {}, { certificateAuthority: PEM }],
  ['no verification', { 'insecure-skip-tls-verify': true }, {}, { rejectUnauthorized: false }],
  ['another name in the certificate', { 'tls-server-name': 'api' }, {}, { serverName: 'api' }],
  ['verification not switched off', { 'insecure-skip-tls-verify': false, 'proxy-url': null }, {}, {}],
  ['a token', {}, { token: 'abc' }, { authorization: 'Bearer abc' }],
  ['a token file before a token', {}, { token: 'abc', tokenFile: 'token' }, { authorization: 'Bearer from-file' }],
  ['name and password', {}, { username: 'a', password: 'b' }, { authorization: 'Basic YTpi' }],
  ['a certificate', {}, { 'client-certificate-data': DATA, 'client-key-data': KEY_DATA }, { certificate: PEM, key: KEY }],
  ['OpenID Connect while its token lasts', {}, { 'auth-provider': { name: 'oidc', config: { 'id-token': ID_TOKEN, 'client-id': 'a', 'idp-issuer-url': 'https://idp.invalid' } } }, { authorization: `Bearer ${ID_TOKEN}` }],
])('a kubeconfig has %s', async (_what, cluster, user, expected) => {
  mkdirSync(join(folder, 'pki'), { recursive: true });
  writeFileSync(join(folder, 'pki/ca.crt'), PEM);
  writeFileSync(join(folder, 'token'), 'from-file\n');
  const { server, tls, credential } = await read(kubeconfig(cluster, user));
  expect(server).toBe('https://10.0.0.1:6443');
  expect({ ...tls, ...(await credential(false)) }).toEqual(expected);
});

it('a cluster has the last value of a key that stands twice, as for kubectl, and may have a path, as behind Rancher', async () => {
  const text = kubeconfig({ server: 'https://rancher.test/k8s/clusters/c-1/' }, {}, { preferences: {} });
  const twice = text.replace(/( +)server: .*/, '$1server: https://old.test\n$&');
  expect((await read(`${twice}preferences: {}\n`)).server).toBe('https://rancher.test/k8s/clusters/c-1');
});

// prettier-ignore
it.each([
  ['server', kubeconfig({ server: 'ftp://x' }, {}), 'clusters[0].cluster.server: must be an http'],
  ['user in the URL', kubeconfig({ server: 'https://hush@x' }, {}), 'clusters[0].cluster.server: must be'],
  ['CA data', kubeconfig({ 'certificate-authority-data': 'hush' }, {}), 'data: must be PEM text in base64'],
  ['CA and insecure', kubeconfig({ 'certificate-authority-data': DATA, 'insecure-skip-tls-verify': true }, {}), 'insecure-skip-tls-verify: must be left out when'],
  ['context', kubeconfig({}, {}, { 'current-context': 'x' }), 'contexts: must be a list with the entry that current-context names; it has 2'],
  ['user', kubeconfig({}, {}, { users: [] }), 'users: must be a list with the entry that the context names; it has 0'],
  ['certificate without key', kubeconfig({}, { 'client-certificate-data': DATA }), 'client-key: must be there'],
  ['exec version', kubeconfig({}, { exec: { command: 'x', apiVersion: 'v0' } }), 'exec.apiVersion: must be client'],
  ['auth-provider', kubeconfig({}, { 'auth-provider': { name: 'gcp' } }), 'auth-provider.name: must be oidc'],
  ['the rights of somebody else', kubeconfig({}, { as: 'hush' }), 'user.as: must be left out: levelset takes nobody else’s rights'],
  ['a key with its text', kubeconfig({}, { 'client-certificate-data': DATA, 'client-key': `hush${KEY_DATA}` }), 'client-key: there is no such file'],
  ['a token file with the token', kubeconfig({}, { tokenFile: '', token: 7 }), 'user.token: must be a text'],
  ['an alias of nothing', 'a: *hush', 'an alias has no anchor'],
  ['no YAML', 'a: b\ntoken: "hush', 'line 2 is not valid YAML'],
])('what is refused is told in words: %s', async (_what, text, message) => {
  const error = (await read(text).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  for (const words of [message, join(folder, 'kc')]) expect(error.message).toContain(words);
  expect(error.message).not.toMatch(/hush|12345/);
});
