import { createPrivateKey, X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, resolve } from 'node:path';
import { ReconcileError } from '../../model/errors.ts';
import { isRecord } from '../../model/json.ts';
import { PROXY_ALLOWED, readProxy } from '../../proxy.ts';
import type { Connection, Credential, CredentialSource, Login, TlsSettings } from './connection.ts';
import { KubeconfigFields, tokenFile, type Map, type Origin, type RotatedText } from './kubeconfig-fields.ts';

/**
 * The connection of the current context (Kubernetes reference, "kubeconfig (v1)"). Throws CONFIG_INVALID with file
 * and field, and nothing of what is in the file (decision 460).
 */
export async function readKubeconfig(text: string, origin: Origin, login?: Login): Promise<Connection> {
  const { source } = origin;
  const root = new KubeconfigFields(origin, '', await parseYaml(text, source));
  const context = root
    .named('contexts', root.needed('current-context', 'the name of a context'))
    .section('context');
  const cluster = root.named('clusters', context.needed('cluster', 'a name')).section('cluster');
  const named = root.named('users', context.needed('user', 'a name'));
  const user = named.has('user') ? named.section('user') : named;
  const authority = cluster.pem('certificate-authority');
  const server = readServer(cluster);
  const tls = readTls(cluster, authority !== undefined);
  const certificateAuthority = await authority?.(false);
  const info = clusterInfo(cluster, certificateAuthority);
  const authorize = await readUser(user, source, login && { login, info });
  return {
    ...{ source, server, tls },
    ...readProxyUrl(cluster),
    credential: async (refused) => ({
      ...(authority && { certificateAuthority: await authority(refused) }),
      ...(await authorize(refused)),
    }),
  };
}

async function parseYaml(text: string, source: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  // The parser's own messages and warnings quote the text around, which may be a secret. Of a key that stands twice the last counts, as for kubectl.
  const document = parseDocument(text, { logLevel: 'error', uniqueKeys: false });
  const [error] = document.errors;
  try {
    if (error === undefined) return document.toJS();
  } catch {
    throw new ReconcileError('CONFIG_INVALID', `${source}: an alias has no anchor, or there are too many`);
  }
  const line = error.linePos?.[0].line ?? 1;
  throw new ReconcileError('CONFIG_INVALID', `${source}: line ${line} is not valid YAML (${error.code})`);
}

function readServer(cluster: KubeconfigFields): string {
  const url = URL.parse(cluster.text('server') ?? '');
  const isPlain = url && ![url.username, url.password, url.search, url.hash].some((part) => part !== '');
  if (!isPlain || !['https:', 'http:'].includes(url.protocol))
    throw cluster.invalid('server', 'an http or https URL without user, query and fragment');
  return url.href.replace(/\/+$/, '');
}

/** It counts for this cluster whatever the environment says, as in client-go. */
function readProxyUrl(cluster: KubeconfigFields): Pick<Connection, 'proxyFor'> {
  const text = cluster.text('proxy-url');
  if (text === undefined) return {};
  const proxy = readProxy(text);
  if (proxy === undefined) throw cluster.invalid('proxy-url', PROXY_ALLOWED);
  return { proxyFor: () => proxy };
}

function readTls(cluster: KubeconfigFields, hasAuthority: boolean): TlsSettings {
  const insecure = cluster.flag('insecure-skip-tls-verify');
  const serverName = cluster.text('tls-server-name');
  if (insecure && hasAuthority)
    throw cluster.invalid('insecure-skip-tls-verify', 'left out when there is a certificate-authority');
  return {
    ...(insecure && { rejectUnauthorized: false }),
    ...(serverName !== undefined && { serverName }),
  };
}

/** What a plugin with `provideClusterInfo` is told (client-go credential plugins, `spec.cluster`). */
function clusterInfo(cluster: KubeconfigFields, authority: string | undefined): Map {
  const { extensions, 'certificate-authority': _path, ...fields } = cluster.map;
  const [found] = [extensions ?? []].flat().filter((one) => isRecord(one) && one['name'] === EXEC);
  return {
    ...fields,
    ...(authority && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(isRecord(found) && { config: found['extension'] }),
  };
}

const EXEC = 'client.authentication.k8s.io/exec';

interface LoginHere {
  readonly login: Login;
  readonly info: Map;
}

/** Without them levelset would have more rights than was meant. */
const AS = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

/** The credential in client-go's order: token file, token, name and password. A client certificate comes on top. */
async function readUser(user: KubeconfigFields, source: string, here?: LoginHere): Promise<CredentialSource> {
  const [certificate, key] = [user.pem('client-certificate'), user.pem('client-key')];
  if (certificate && !key) throw user.invalid('client-key', 'there as well');
  if (key && !certificate) throw user.invalid('client-certificate', 'there as well');
  const certified = certificate && key ? pairOf(certificate, key) : always({});
  await certified(false);
  for (const field of AS)
    if (user.has(field) && String(user.map[field]) !== '')
      throw user.invalid(field, 'left out: levelset takes nobody else’s rights');
  const authorize = readAuthorization(user, source, here);
  return async (refused) => ({
    ...(await certified(refused)),
    ...(await authorize(refused)),
  });
}

/** A certificate and its key, which are replaced one after the other: until the new ones fit, the last two count. */
function pairOf(certificate: RotatedText, key: RotatedText): CredentialSource {
  let kept: Credential | undefined;
  return async (refused) => {
    const now = { certificate: await certificate(refused), key: await key(refused) };
    try {
      const own = kept && createPrivateKey(now.key);
      if (!own || new X509Certificate(now.certificate).checkPrivateKey(own)) kept = now;
    } catch {
      // half written: it does not count yet
    }
    return kept ?? now;
  };
}

function readAuthorization(user: KubeconfigFields, source: string, here?: LoginHere): CredentialSource {
  const path = user.file('tokenFile', 'give token');
  if (path !== undefined) return tokenFile(user.placeOf('tokenFile'), path);
  const token = user.text('token');
  if (token !== undefined) return always({ authorization: `Bearer ${token}` });
  const username = user.text('username');
  const pair = `${username ?? ''}:${user.text('password') ?? ''}`;
  if (username !== undefined)
    return always({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  for (const [field, read] of Object.entries({ exec: readExec, 'auth-provider': readAuthProvider })) {
    if (!user.has(field)) continue;
    if (here) return read(user.section(field), source, here);
    throw user.invalid(field, 'left out: no login can run here; give a token or a client certificate');
  }
  return always({});
}

const always =
  (credential: Credential): CredentialSource =>
  () =>
    Promise.resolve(credential);

function readExec(exec: KubeconfigFields, source: string, { login, info }: LoginHere): CredentialSource {
  const command = exec.needed('command', 'a program');
  const apiVersion = exec.text('apiVersion') ?? '';
  const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
  if (!versions.includes(apiVersion)) throw exec.invalid('apiVersion', versions.join(' or '));
  const beside = command.includes('/') && !isAbsolute(command) ? resolve(dirname(source), command) : command;
  // Plugins read their version and the cluster from here; client-node does not set it (client-go credential plugins).
  const cluster = exec.flag('provideClusterInfo') && { cluster: info };
  const told = { kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive: false } };
  const given = Array.isArray(exec.map['env']) ? (exec.map['env'] as unknown[]) : [];
  const env = [...given, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(told) }];
  return login({ exec: { ...exec.map, command: beside, env } }, exec.placeOf(''));
}

function readAuthProvider(
  provider: KubeconfigFields,
  source: string,
  { login }: LoginHere,
): CredentialSource {
  const name = provider.text('name');
  if (name !== 'oidc') throw provider.invalid('name', 'oidc (for other providers use exec)');
  return login({ authProvider: { ...provider.map, name } }, `${source}: auth-provider oidc`);
}
