import type { Config } from '../../../shared/config/config.ts';
import { isSecretName, redact } from '../../../shared/model/redact.ts';
import type { SafeConfig } from './bundle.ts';

/** The configuration without what lets anybody in. */
export function safeConfig(config: Config): SafeConfig {
  const { authUrl, region, interface: its, tlsInsecure, requestTimeoutMs, credentials } = config.openstack;
  const openstack = {
    credentials: { type: credentials.type },
    authUrl: withoutUser(authUrl),
    interface: its,
    tlsInsecure,
    requestTimeoutMs,
  };
  return { ...config, openstack: { ...openstack, ...(region !== undefined && { region }) } };
}

function withoutUser(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Secrets of fewer characters may be words that stand in every text, such as `demo`. */
const SHORTEST = 8;

/**
 * A text without the secrets of cloud.conf and of the environment, and without what looks like a token, wherever a server may have
 * repeated it.
 */
export function withoutSecrets(text: string, { openstack }: Config, env: NodeJS.ProcessEnv): string {
  const { credentials, key } = openstack;
  const own = credentials.type === 'password' ? credentials.password : credentials.secret;
  const given = Object.entries(env).flatMap(([name, value = '']) =>
    isSecretName(name) ? value.split(/[\s,]+/) : passwordIn(value),
  );
  const secrets = [own, key ?? '', ...given].filter(({ length }) => length >= SHORTEST);
  return redact(text, secrets);
}

/** The password in a URL, such as that of HTTPS_PROXY, as it is written and as it is meant. */
function passwordIn(value: string): readonly string[] {
  const written = URL.parse(value)?.password ?? '';
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
