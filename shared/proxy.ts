/** Through which proxy a request goes: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, by the rules of Go's programs. */
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ReconcileError } from './model/errors.ts';

/** The proxy for a request to this URL; undefined: none. Its user and password, if any, are secret. */
export type ProxyFor = (target: URL) => URL | undefined;

type Rule = (host: string, port: string) => boolean;

/**
 * By HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capitals first (golang.org/x/net/http/httpproxy). Loopback never goes
 * through a proxy. Throws CONFIG_INVALID.
 */
export function proxyFromEnv(env: NodeJS.ProcessEnv): ProxyFor {
  const read = (name: string): string =>
    [env[name], env[name.toLowerCase()]].find((value) => value !== undefined && value !== '') ?? '';
  const proxyIn = (name: string): URL | undefined => {
    const proxy = read(name) === '' ? undefined : readProxy(read(name));
    // the value is not shown: it may hold a password
    if (read(name) !== '' && proxy === undefined)
      throw new ReconcileError('CONFIG_INVALID', `${name}: must be ${PROXY_ALLOWED}`);
    return proxy;
  };
  const [http, https] = [proxyIn('HTTP_PROXY'), proxyIn('HTTPS_PROXY')];
  const rules = [isOwn, ...read('NO_PROXY').split(',').map(ruleOf)];
  return (target) => {
    const proxy = target.protocol === 'https:' ? https : http;
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const port = target.port === '' ? (DEFAULT_PORTS[target.protocol] ?? '') : target.port;
    return proxy && !rules.some((rule) => rule(host, port)) ? proxy : undefined;
  };
}

export function proxyVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

export const PROXY_ALLOWED =
  'an http or https URL, such as http://proxy.example:3128; levelset speaks no SOCKS';

/** The URL of a proxy, which is http without a scheme; undefined for what is not PROXY_ALLOWED. */
export function readProxy(text: string): URL | undefined {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  return url && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8, 'ipv4');
OWN.addAddress('::1', 'ipv6');
const isOwn: Rule = (host) => host === 'localhost' || has(OWN, host);

/**
 * One entry of NO_PROXY: `*`, address, CIDR, name (also for names below it), `.name` or `*.name` (those below alone),
 * with a port or without.
 */
function ruleOf(entry: string): Rule {
  const text = entry.trim().toLowerCase();
  if (text === '*') return () => true;
  const [, network = '', bits = ''] = /^([^/]+)\/(\d+)$/.exec(text) ?? [];
  if (isIP(network) && Number(bits) <= (isIP(network) === 4 ? 32 : 128)) {
    const list = new BlockList();
    list.addSubnet(network, Number(bits), familyOf(network));
    return (host) => has(list, host);
  }
  const [, bracketed, named, asked] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const name = bracketed ?? named ?? text;
  const ofPort: Rule = (_, port) => asked === undefined || asked === port;
  if (isIP(name)) {
    const list = new BlockList();
    list.addAddress(name, familyOf(name));
    return (host, port) => has(list, host) && ofPort(host, port);
  }
  if (name === '') return () => false;
  const onlyBelow = /^\*?\./.test(name);
  const domain = domainToASCII(name.replace(/^\*?\./, '')) || name;
  return (host, port) =>
    (host.endsWith(`.${domain}`) || (!onlyBelow && host === domain)) && ofPort(host, port);
}

function has(list: BlockList, host: string): boolean {
  return isIP(host) !== 0 && list.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Older releases of Node tell the URL of a proxy that makes no tunnel with its user and password. */
export function withoutCredentials<T extends Error | null>(error: T): T {
  if (error === null) return error;
  const clean = (text: string): string => text.replaceAll(/\/\/[^/\s]*@/g, '//');
  error.stack = clean(error.stack ?? '');
  error.message = clean(error.message);
  return error;
}
