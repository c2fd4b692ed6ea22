import { dirname, isAbsolute, resolve } from 'node:path';
import { readFile } from 'node:fs/promises';
import { ReconcileError } from '../../model/errors.ts';
import { isRecord } from '../../model/json.ts';
import { PROXY_ALLOWED, readProxy } from '../../proxy.ts';
import type { Connection, Credential, CredentialSource, Login, TlsSettings } from './connection.ts';
import { tokenFile } from './token-file.ts';

/**
 * The connection of a kubeconfig's current context (Kubernetes reference, "kubeconfig (v1)"). `source` is the file, for
 * messages and relative paths. Without `login` no user may have to run a program or to log in elsewhere. Throws CONFIG_INVALID
 * with file, field, value and what is allowed, and never a secret.
 */
export async function readKubeconfig(text: string, source: string, login?: Login): Promise<Connection> {
  const root = new KubeconfigFields(source, '', await parseYaml(text, source));
  const name = root.text('current-context');
  if (name === undefined) throw root.invalid('current-context', '', 'the name of a context');
  const context = root.named('contexts', name).section('context');
  const cluster = root.named('clusters', required(context, 'cluster')).section('cluster');
  const user = root.named('users', required(context, 'user'));
  return {
    source,
    server: readServer(cluster),
    tls: await readTls(cluster),
    ...readProxyUrl(cluster),
    credential: await readUser(user.has('user') ? user.section('user') : user, source, login),
  };
}

async function parseYaml(text: string, source: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  // The parser's own messages and warnings quote the text around, which may be a secret.
  const document = parseDocument(text, { logLevel: 'error' });
  const [error] = document.errors;
  if (error === undefined) return document.toJS();
  const line = error.linePos?.[0].line ?? 1;
  throw new ReconcileError('CONFIG_INVALID', `${source}: line ${line} is not valid YAML (${error.code})`);
}

function required(fields: KubeconfigFields, field: string): string {
  const value = fields.text(field);
  if (value === undefined) throw fields.invalid(field, '', 'a name');
  return value;
}

function readServer(cluster: KubeconfigFields): string {
  const server = cluster.text('server') ?? '';
  const url = URL.parse(server);
  const allowed = 'an http or https URL without user, query and fragment';
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw cluster.invalid('server', server, allowed);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw cluster.invalid('server', undefined, allowed);
  return url.href.replace(/\/+$/, '');
}

/** It counts for this cluster whatever the environment says, as in client-go. */
function readProxyUrl(cluster: KubeconfigFields): Pick<Connection, 'proxyFor'> {
  const text = cluster.secret('proxy-url');
  if (text === undefined) return {};
  const proxy = readProxy(text);
  if (proxy === undefined) throw cluster.invalid('proxy-url', undefined, PROXY_ALLOWED);
  return { proxyFor: () => proxy };
}

async function readTls(cluster: KubeconfigFields): Promise<TlsSettings> {
  const certificateAuthority = await cluster.pem('certificate-authority');
  const insecure = cluster.flag('insecure-skip-tls-verify');
  const serverName = cluster.text('tls-server-name');
  if (insecure && certificateAuthority !== undefined)
    throw cluster.invalid('insecure-skip-tls-verify', true, 'left out when there is a certificate-authority');
  return {
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(insecure && { rejectUnauthorized: false }),
    ...(serverName !== undefined && { serverName }),
  };
}

/** The credential in client-go's order: token file, token, name and password. A client certificate comes on top. */
async function readUser(user: KubeconfigFields, source: string, login?: Login): Promise<CredentialSource> {
  const certificate = await user.pem('client-certificate');
  const key = await user.pem('client-key');
  if (certificate !== undefined && key === undefined) throw user.invalid('client-key', '', 'there as well');
  if (key !== undefined && certificate === undefined)
    throw user.invalid('client-certificate', '', 'there as well');
  const certified: Credential = certificate !== undefined && key !== undefined ? { certificate, key } : {};
  const authorize = readAuthorization(user, source, login);
  return async (refused) => ({ ...certified, ...(await authorize(refused)) });
}

function readAuthorization(user: KubeconfigFields, source: string, login?: Login): CredentialSource {
  const path = user.file('tokenFile');
  if (path !== undefined) return tokenFile(path);
  const token = user.secret('token');
  if (token !== undefined) return always({ authorization: `Bearer ${token}` });
  const username = user.secret('username');
  const pair = `${username ?? ''}:${user.secret('password') ?? ''}`;
  if (username !== undefined)
    return always({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  for (const [field, read] of Object.entries({ exec: readExec, 'auth-provider': readAuthProvider })) {
    if (!user.has(field)) continue;
    if (login) return read(user.section(field), source, login);
    throw user.invalid(
      field,
      undefined,
      'left out: no login can run here; give a token or a client certificate',
    );
  }
  return always({});
}

const always =
  (credential: Credential): CredentialSource =>
  () =>
    Promise.resolve(credential);

function readExec(exec: KubeconfigFields, source: string, login: Login): CredentialSource {
  const command = exec.text('command');
  if (command === undefined) throw exec.invalid('command', '', 'a program');
  const apiVersion = exec.text('apiVersion') ?? '';
  const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
  if (!versions.includes(apiVersion)) throw exec.invalid('apiVersion', apiVersion, versions.join(' or '));
  const beside = command.includes('/') && !isAbsolute(command) ? resolve(dirname(source), command) : command;
  // Plugins read their version from here; client-node does not set it (client-go credential plugins).
  const info = { kind: 'ExecCredential', apiVersion, spec: { interactive: false } };
  const given = Array.isArray(exec.raw()['env']) ? (exec.raw()['env'] as unknown[]) : [];
  const env = [...given, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }];
  return login({ exec: { ...exec.raw(), command: beside, env } }, `${source}: exec ${command}`);
}

function readAuthProvider(provider: KubeconfigFields, source: string, login: Login): CredentialSource {
  const name = provider.text('name') ?? '';
  if (name !== 'oidc') throw provider.invalid('name', name, 'oidc (for other providers use exec)');
  return login({ authProvider: { ...provider.raw(), name } }, `${source}: auth-provider oidc`);
}

type Map = Readonly<Record<string, unknown>>;

/** One map of a kubeconfig, read field by field. Errors name file, field, value and what is allowed. */
class KubeconfigFields {
  private readonly map: Map;
  /** File or variable, for messages. */
  private readonly source: string;
  /** Path of this map, such as `users[admin].user`. */
  private readonly path: string;

  constructor(source: string, path: string, value: unknown) {
    this.source = source;
    this.path = path;
    if (!isRecord(value)) throw this.invalid('', value, 'a map');
    this.map = value;
  }

  has(field: string): boolean {
    return this.map[field] !== undefined && this.map[field] !== null;
  }

  /** The text of a field; undefined if it is missing or empty. Not for secrets: an error shows the value. */
  text(field: string): string | undefined {
    return this.scalar(field, 'string', 'a text');
  }

  flag(field: string): boolean {
    return this.scalar(field, 'boolean', 'true or false') ?? false;
  }

  /** As `text`, for values that must not be shown. */
  secret(field: string): string | undefined {
    const value = this.map[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    throw this.invalid(field, undefined, 'a text (put it in quotes)');
  }

  section(field: string): KubeconfigFields {
    return new KubeconfigFields(this.source, this.at(field), this.map[field]);
  }

  /** The entry called `name` in a list of `{ name, ... }`. */
  named(list: string, name: string): KubeconfigFields {
    const entries = Array.isArray(this.map[list]) ? (this.map[list] as unknown[]).filter(isRecord) : [];
    const entry = entries.find((one) => one['name'] === name);
    if (entry) return new KubeconfigFields(this.source, `${list}[${name}]`, entry);
    const known = entries.map((one) => String(one['name'])).join(', ');
    throw this.invalid(list, name, known === '' ? 'an entry of that name' : `one of ${known}`);
  }

  raw(): Map {
    return this.map;
  }

  /** A path beside the kubeconfig, as kubectl reads it. */
  file(field: string): string | undefined {
    const path = this.text(field);
    return path === undefined ? undefined : resolve(dirname(this.source), path);
  }

  /** PEM text from `<field>-data` (base64), or else from the file that `<field>` names, as in client-go. */
  async pem(field: string): Promise<string | undefined> {
    const data = this.secret(`${field}-data`);
    if (data !== undefined) {
      const pem = Buffer.from(data, 'base64').toString('utf8');
      if (pem.includes('-----BEGIN ')) return pem;
      throw this.invalid(`${field}-data`, undefined, 'PEM text in base64');
    }
    const path = this.file(field);
    if (path === undefined) return undefined;
    const pem = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw this.invalid(
        field,
        path,
        `a readable file (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}), or ${field}-data in its place, as on AWS Lambda`,
      );
    });
    if (pem.includes('-----BEGIN ')) return pem;
    throw this.invalid(field, path, 'a file with PEM text');
  }

  at(field: string): string {
    return [this.path, field].filter((part) => part !== '').join('.');
  }

  /** The error for a field. An undefined `value` is not shown. */
  invalid(field: string, value: unknown, allowed: string): ReconcileError {
    const shown = value === undefined ? '' : ` is ${JSON.stringify(value)}`;
    return new ReconcileError(
      'CONFIG_INVALID',
      `${this.source}: ${this.at(field)}${shown}: must be ${allowed}`,
    );
  }

  private scalar<T extends 'string' | 'boolean'>(field: string, type: T, allowed: string) {
    const value = this.map[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === type) return value as T extends 'string' ? string : boolean;
    throw this.invalid(field, value, allowed);
  }
}
