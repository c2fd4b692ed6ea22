import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stringify } from 'yaml';
import { readSettings } from '../../../shared/clusters/read-settings.ts';
import { FLAGS, type Flag } from '../../../shared/config/flags.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { variableOf, VARIABLES } from '../../../shared/config/read-flags.ts';
import { camel, NotAllowed, refusalOf } from '../../../shared/config/read-value.ts';
import { externalCredential } from '../../../shared/kube/connection/external-credential.ts';
import { findConnection } from '../../../shared/kube/connection/find-connection.ts';
import { readKubeconfig } from '../../../shared/kube/connection/kubeconfig.ts';
import { readNamedFile } from '../../../shared/named-file.ts';
import { forAll } from '../seed.ts';

const CLOUD = {
  ...{ region_name: 'R', interface: 'internal', auth_type: 'password', verify: true },
  cacert: '/nowhere/ca.pem',
  auth: {
    ...{ auth_url: 'https://k/v3', username: 'u', password: 'p', project_name: 'p' },
    default_domain: 'default',
  },
};
const CLUSTER = {
  ...{ server: 'https://a:6443', 'certificate-authority-data': 'LS0tLS1CRUdJTiA=', 'tls-server-name': 'a' },
  ...{ 'insecure-skip-tls-verify': false, 'proxy-url': 'http://p:3128' },
};
const EXEC = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin' };
const USER = {
  ...{ 'client-certificate': 'cert.pem', 'client-key': 'key.pem', tokenFile: 'token', token: 't' },
  ...{ username: 'u', password: 'p', exec: { ...EXEC, env: [{ name: 'A', value: 'b' }] } },
  'auth-provider': { name: 'oidc', config: { 'id-token': 'i' } },
};

/** Whole files, with one line for each thing that people write into them. */
const FILES = {
  'cloud.conf': `[Global]
auth-url = https://k/v3
os-endpoint-type = internal
username = u
password = "p w"
tenant-name = p
domain-name = Default
region = R
ca-file = /nowhere/ca.pem
tls-insecure = false
use-clouds = false
[LoadBalancer]
lb-method = ROUND_ROBIN
floating-network-id = 01234567-89ab-cdef-0123-456789abcdef
floating-subnet = ~public-.*
node-selector = pool=edge
monitor-delay = 5s
create-monitor = true
[LoadBalancerClass "internet"]
subnet-id = 01234567-89ab-cdef-0123-456789abcdef
[Networking]
address-sort-order = 10.0.0.0/8, 192.168.0.0/16
[Route]
router-id = 01234567-89ab-cdef-0123-456789abcdef
[Metadata]
search-order = configDrive
request-timeout = 5s`,
  'clouds.yaml': stringify({ clouds: { mine: CLOUD } }),
  'secure.yaml': stringify({ clouds: { mine: { auth: { password: 'p' } } } }),
  kubeconfig: stringify({
    ...{ apiVersion: 'v1', 'current-context': 'a' },
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: CLUSTER }],
    users: [{ name: 'a', user: USER }],
  }),
  flags: `cluster-cidr=10.0.0.0/8
controllers=*,-route
adopt=tags
allowed-references=shop/subnet/x`,
} as const;
type File = keyof typeof FILES;

/** What a secret looks like. No twelve characters of it are part of a message of ours. */
const SECRETS = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{32}$/),
  fc.stringMatching(/^[A-Za-z0-9+/]{14,40}==?$/),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{13,30}$/),
  fc.stringMatching(/^[-A-Za-z0-9!"#$%&'()*+,./:;<=>?@[\\\]^_`{|}~ ]{14,40}$/),
  fc.stringMatching(/^eyJ[\w-]{16}\.[\w-]{16}\.[\w-]{16}$/),
  fc
    .stringMatching(/^[A-Za-z0-9+/]{32}$/)
    .map((line) => `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----`),
);

/** Ways in which a secret gets into a line, `at` being where its value begins. */
const PLACES: readonly ((line: string, at: number, secret: string) => string)[] = [
  (line, at, secret) => line.slice(0, at) + secret,
  (line, at, secret) => `${line.slice(0, at)}"${secret}`,
  (line, at, secret) => `${line.slice(0, at)}*${secret}`,
  (line, at, secret) => `${line.slice(0, at)}{ ${secret}: ${secret} }`,
  (line, at, secret) => `${line.slice(0, at)}[${secret}, ${secret}]`,
  (line, at, secret) => `${line.slice(0, at)}https://${secret}:${secret}@h/v2.0`,
  (line, at, secret) => (/^\s*(- )?/.exec(line)?.[0] ?? '') + secret + line.slice(at - 2),
  (line, _, secret) => (/^\s*/.exec(line)?.[0] ?? '') + secret,
  (line, _, secret) => `${line}\n${secret}`,
  (line, _, secret) => `${line}\n  ${secret}`,
  (line, _, secret) => `${line}\n${secret} = ${secret}\n${secret}=${secret}`,
  (line, _, secret) => `${line}\n${secret}: ${secret}`,
  (line, _, secret) => `${line}\n? { ${secret}: a }\n: b`,
  (line, _, secret) => `${line}\n[${secret}]\n[LoadBalancer "${secret}"]\n[${secret} "${secret}"]`,
];
const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** And into a whole file. */
const WHOLE: readonly ((text: string, secret: string) => string)[] = [
  (_, secret) => secret,
  base64,
  (text) => (base64(text).match(/.{1,76}/g) ?? []).join('\n'),
  (text, secret) => `${secret}\n${text}`,
];

const broken = (text: string) =>
  fc
    .tuple(SECRETS, fc.nat(text.split('\n').length - 1), fc.nat(PLACES.length + WHOLE.length - 1))
    .map(([secret, index, way]): { readonly secret: string; readonly text: string } => {
      const made = WHOLE[way - PLACES.length]?.(text, secret);
      if (made !== undefined)
        return { secret: made.includes(text) ? secret : `${secret}\n${made}`, text: made };
      const lines = text.split('\n');
      const line = lines[index] ?? '';
      const at = /^[^=:]*[=:] ?/.exec(line)?.[0].length ?? 0;
      lines[index] = PLACES[way]?.(line, at, secret) ?? '';
      return { secret, text: lines.join('\n') };
    });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'levelset-content-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const messageOf = (run: Promise<unknown>): Promise<string> => run.then(() => '', textOf);

/** No twelve characters of it, whatever their case: names are read in small letters. */
function expectNothingOf(secret: string, told: string): void {
  const low = told.toLowerCase();
  for (const line of secret.toLowerCase().split('\n'))
    for (let at = 0; at + 12 <= line.length && !line.startsWith('-----'); at += 4)
      expect(low).not.toContain(line.slice(at, at + 12));
}

const USE_CLOUDS = '[Global]\nuse-clouds';

/** What levelset says where these stand in the place of whole files. */
async function toldOf(texts: Partial<Record<File, string>>): Promise<string> {
  const all = { ...FILES, ...texts };
  for (const name of ['clouds.yaml', 'secure.yaml', 'kubeconfig'] as const)
    writeFileSync(path.join(folder, name), all[name]);
  const home = { HOME: folder, XDG_CONFIG_HOME: folder };
  const loaded = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const { warnings, secretFrom } = await loadConfig({}, { ...home, ...env });
    throw new Error([...warnings, secretFrom].join('\n'));
  };
  const problems: string[] = [];
  const entry = { kubeconfig: all.kubeconfig, 'cloud.conf': all['cloud.conf'], flags: all.flags };
  const settings = await readSettings('prod', entry, { flags: {}, env: {} }, problems);
  const clouds = { OS_CLIENT_CONFIG_FILE: path.join(folder, 'clouds.yaml'), OS_CLOUD: 'mine' };
  const source = path.join(folder, 'kubeconfig');
  const kubeconfig = readKubeconfig(all.kubeconfig, { source }, externalCredential);
  const told = [
    loaded({ LEVELSET_CLOUD_CONFIG_TEXT: all['cloud.conf'] }),
    loaded({ ...clouds, LEVELSET_CLOUD_CONFIG_TEXT: USE_CLOUDS }),
    kubeconfig.then(({ credential }) => credential(false)),
  ].map(messageOf);
  return [...(await Promise.all(told)), ...problems, ...(settings?.warnings ?? [])].join('\n');
}

it.each(Object.keys(FILES) as File[])(
  'nothing of what stands in a file is told, wherever a secret stands in it %s',
  async (name) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => {
      warned.mockRestore();
    });
    await forAll(broken(FILES[name]), async ({ secret, text }) => {
      expectNothingOf(secret, await toldOf({ [name]: text }));
      expect(warned.mock.calls).toEqual([]);
    });
  },
  60_000,
);

const ROWS = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
const OS = ['AUTH_URL', 'REGION_NAME', 'INTERFACE', 'ENDPOINT_TYPE', 'USERNAME', 'USER_ID', 'PASSWORD', 'PROJECT_ID', 'TENANT_ID', 'PROJECT_NAME', 'TENANT_NAME', 'DOMAIN_ID', 'DOMAIN_NAME', 'USER_DOMAIN_ID', 'USER_DOMAIN_NAME', 'PROJECT_DOMAIN_ID', 'PROJECT_DOMAIN_NAME', 'DEFAULT_DOMAIN', 'APPLICATION_CREDENTIAL_ID', 'APPLICATION_CREDENTIAL_NAME', 'APPLICATION_CREDENTIAL_SECRET', 'CACERT', 'CERT', 'KEY', 'TOKEN', 'TRUST_ID', 'AUTH_TYPE', 'CLOUD', 'CLIENT_CONFIG_FILE', 'CLIENT_SECURE_FILE'].map((name) => `OS_${name}`); // prettier-ignore
const KUBE = ['KUBECONFIG', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'KUBERNETES_SERVICE_HOST'];

describe('nothing of what stands in a variable or a flag is told', () => {
  const someNames = fc.subarray([...OS, ...Object.keys(VARIABLES), ...KUBE], { minLength: 1 });
  it('where a variable has a secret of something else', async () => {
    const all = { OS_AUTH_URL: 'https://k/v3', OS_USERNAME: 'u', OS_PASSWORD: 'p', OS_PROJECT_ID: 'p' };
    await forAll(SECRETS, someNames, fc.boolean(), async (secret, some, hasAll) => {
      const spoilt = Object.fromEntries(some.map((name) => [name, secret]));
      const env = { HOME: folder, ...(hasAll ? all : {}), ...spoilt };
      const told = await Promise.all([
        messageOf(loadConfig({}, env)),
        messageOf(loadConfig({}, { ...env, LEVELSET_CLOUD_CONFIG_TEXT: USE_CLOUDS })),
        messageOf(findConnection({ env })),
      ]);
      expectNothingOf(secret, told.join('\n'));
    });
  }, 60_000);

  it.each(ROWS)('--%s, or its variable', async (name, row) => {
    expect(variableOf(name, row) ?? 'a switch').toMatch(/^LEVELSET_[A-Z0-9_]+$|^a switch$/);
    await forAll(SECRETS, async (secret) => {
      const read = row.read?.(secret);
      const told = [
        await messageOf(loadConfig({ [camel(name)]: secret }, { HOME: folder })),
        read instanceof NotAllowed ? refusalOf(`--${name}`, secret, read) : '',
        await messageOf(findConnection({ kubeconfig: secret, env: {} })),
        await messageOf(readNamedFile(`--${name}`, secret)),
      ];
      expectNothingOf(secret, told.join('\n'));
    });
  });
});
