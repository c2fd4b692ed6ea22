import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { ReconcileError } from '../../model/errors.ts';
import { Silence, type Delays } from '../../silence.ts';
import type { Credential, CredentialSource, ExternalUser } from './connection.ts';

/**
 * A credential from an exec plugin (client.authentication.k8s.io) or OpenID Connect. The library client-node
 * asks for it, and is loaded at the first request. It keeps the answer until that expires; requests at the
 * same time ask once. After a 401 an exec plugin runs again, at most once a minute: each run may be a login, and
 * failed logins lock accounts. So a failure is the answer for everybody for 5 s, then 10 s, at most five minutes.
 * A refreshed OIDC token stays in memory: the kubeconfig is never written.
 */
export function externalCredential(
  user: ExternalUser,
  what: string,
  now: () => number = () => performance.now(),
): CredentialSource {
  let config: Promise<KubeConfig> | undefined;
  let running: Promise<Credential> | undefined;
  let refusedAtMs = -Infinity;
  let failure: unknown;
  const silence = new Silence(now);
  const askOnce = async (asked: Promise<KubeConfig>): Promise<Credential> => {
    if (!silence.isOver) throw failure;
    try {
      const credential = await ask(asked, what);
      silence.end();
      return credential;
    } catch (error) {
      failure = error;
      silence.begin(OF_FAILURE);
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

async function load(user: ExternalUser): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'cluster', server: 'https://unused.invalid' }],
    users: [{ name: 'user', ...user }],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  });
  return config;
}

async function ask(config: Promise<KubeConfig>, what: string): Promise<Credential> {
  const options: RequestOptions = {};
  try {
    await (await config).applyToHTTPSOptions(options);
  } catch (cause) {
    // The error has neither the plugin's stderr nor the provider's answer: they may hold tokens.
    const code = (cause as NodeJS.ErrnoException).code ?? 'it failed';
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${what} gave no credential (${code}): run it by hand to see why`,
    );
  }
  const { authorization } = readHeaders(options);
  const credential = {
    ...(authorization && { authorization }),
    ...(typeof options.cert === 'string' && { certificate: options.cert }),
    ...(typeof options.key === 'string' && { key: options.key }),
  };
  if (Object.keys(credential).length > 0) return credential;
  throw new ReconcileError('CONFIG_INVALID', `${what} gave neither a token nor a client certificate`);
}

function readHeaders(options: RequestOptions): { authorization?: string } {
  const headers = options.headers as Readonly<Record<string, string>> | undefined;
  const authorization = headers?.['Authorization'];
  return authorization === undefined ? {} : { authorization };
}
