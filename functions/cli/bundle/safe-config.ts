import type { Config } from '../../../shared/config/config.ts';
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

/** Every secret that this process knows, taken out of a text, wherever a server may have repeated it. */
export function withoutSecrets(text: string, { openstack }: Config, env: NodeJS.ProcessEnv): string {
  const { credentials, key } = openstack;
  const own = credentials.type === 'password' ? credentials.password : credentials.secret;
  const tokens = Object.entries(env).flatMap(([name, value = '']) =>
    /TOKENS$|PASSWORD$|SECRET$|_TOKEN$/.test(name) ? value.split(/[\s,]+/) : [],
  );
  const secrets = [own, key ?? '', ...tokens].filter(({ length }) => length >= SHORTEST);
  return secrets.reduce(
    (rest, secret) => rest.replaceAll(JSON.stringify(secret).slice(1, -1), 'REDACTED'),
    text,
  );
}
