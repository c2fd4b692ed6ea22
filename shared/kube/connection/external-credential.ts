import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { RequestOptions } from 'node:https';
import { ReconcileError } from '../../model/errors.ts';
import { isSecretName, redact } from '../../model/text/text.ts';
import { Backoff, type Delays } from '../../connection-backoff.ts';
import type { Credential, CredentialSource, ExternalUser } from './connection.ts';

/**
 * A credential by an exec plugin or OpenID Connect, through client-node. It counts until it expires; those who ask
 * meanwhile ask once. After a 401 a plugin runs again, at most once a minute, and a failure is the answer for 5 s,
 * then longer, since failed logins lock accounts. The kubeconfig is never written.
 */
export function externalCredential(
  user: ExternalUser,
  what: string,
  now: () => number = () => performance.now(),
): CredentialSource {
  let config: Promise<Authenticate> | undefined;
  let running: Promise<Credential> | undefined;
  let refusedAtMs = -Infinity;
  let failure: unknown;
  const backoff = new Backoff(now);
  const askOnce = async (asked: Promise<Authenticate>): Promise<Credential> => {
    if (!backoff.isOver) throw failure;
    try {
      const credential = await ask(asked, what, user);
      backoff.end();
      return credential;
    } catch (error) {
      failure = error;
      backoff.begin(OF_FAILURE);
      throw error;
    }
  };
  return (refused) => {
    if (refused && 'exec' in user && now() - refusedAtMs >= RUN_AGAIN_EVERY_MS) {
      refusedAtMs = now();
      config = undefined;
    }
    config ??= load(user);
    running ??= askOnce(config).finally(() => (running = undefined));
    return running;
  };
}

const RUN_AGAIN_EVERY_MS = 60_000;
const OF_FAILURE: Delays = { firstMs: 5_000, longestMs: 5 * 60_000 };

type Authenticate = (options: RequestOptions) => Promise<void>;

/** A person may have to answer in a browser. */
const PLUGIN_MS = 3 * 60_000;

/** A plugin has no stdin, so one that asks there fails at once in its own words. */
const startPlugin = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
  const plugin = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: PLUGIN_MS });
  // what it started may live on with its output
  plugin.once('exit', (_, signal) => {
    if (signal) for (const output of [plugin.stdout, plugin.stderr]) output.destroy();
  });
  return plugin;
};

async function load(user: ExternalUser): Promise<Authenticate> {
  const Auth =
    'exec' in user
      ? (await import('@kubernetes/client-node/dist/exec_auth.js')).ExecAuth
      : (await import('@kubernetes/client-node/dist/oidc_auth.js')).OpenIDConnectAuth;
  const auth = Object.assign(new Auth(), { execFn: startPlugin });
  return (options) => auth.applyAuthentication({ name: 'user', ...user }, options);
}

async function ask(
  authenticate: Promise<Authenticate>,
  what: string,
  user: ExternalUser,
): Promise<Credential> {
  const headers: { readonly Authorization?: string } = {};
  const options: RequestOptions = { headers };
  try {
    await (
      await authenticate
    )(options);
  } catch (cause) {
    // Neither the provider's answer nor a plugin's output is told: they may hold tokens.
    const { code = 'it failed', message } = cause as NodeJS.ErrnoException;
    const exec = 'exec' in user ? user.exec : undefined;
    const isUnreadable = cause instanceof SyntaxError || cause instanceof TypeError;
    const isStderr = exec && code === 'it failed' && !isUnreadable;
    const said = isStderr ? saidBy(exec, message) : code === 'ENOENT' ? exec?.['installHint'] : '';
    const why = typeof said === 'string' && said.trim() !== '' ? said.trim() : 'run it by hand to see why';
    throw new ReconcileError('CONFIG_INVALID', `${what} gave no credential (${code}): ${why}`);
  }
  const { Authorization: authorization } = headers;
  const credential = {
    ...(authorization && { authorization }),
    ...(typeof options.cert === 'string' && { certificate: options.cert }),
    ...(typeof options.key === 'string' && { key: options.key }),
  };
  if (Object.keys(credential).length > 0) return credential;
  throw new ReconcileError('CONFIG_INVALID', `${what} gave neither a token nor a client certificate`);
}

const LONGEST_STDERR = 500;

/** Values of fewer characters are part of many a word. */
const SHORTEST = 4;

/** The end of a plugin's stderr on one line, without what the kubeconfig and the environment give to it, and without tokens. */
function saidBy({ args, env }: Readonly<Record<string, unknown>>, stderr: string): string {
  const words = textsIn(args).flatMap((arg) => arg.split(/=(.*)/s, 2));
  const ofFlags = words.filter((_, at) => isSecretName(words[at - 1] ?? ''));
  const ofProcess = Object.entries(process.env).flatMap(([name, value = '']) =>
    isSecretName(name) ? value : [],
  );
  const ofPlugin = textsIn(Array.isArray(env) ? env.map((one: { value?: unknown }) => one.value) : []);
  const given = [...ofFlags, ...ofProcess, ...ofPlugin];
  const secrets = given.flatMap((value) => [value, ...value.split(/[\r\n,]+/)]);
  const shown = redact(
    stderr,
    secrets.filter(({ length }) => length >= SHORTEST),
  );
  return shown.replace(/\s+/g, ' ').trim().slice(-LONGEST_STDERR);
}

const textsIn = (values: unknown): readonly string[] =>
  Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [];
