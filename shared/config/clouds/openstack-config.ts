import { homedir } from 'node:os';
import { mergeAccess, type Access } from './access.ts';
import { errorText } from '../../model/errors.ts';
import { withoutUndefined } from '../../model/json.ts';
import { readNamedFile } from '../../named-file.ts';
import type { OpenStackConfig } from '../config.ts';
import { readCredentials } from './credentials.ts';

const INTERFACES = ['public', 'internal', 'admin'] as const;

/** The files of [Global]. A variable may have the text of each, for functions without files; it then counts alone. */
const PEMS = {
  ca: {
    what: 'the CA file (ca-file, cacert or OS_CACERT)',
    file: 'caFile',
    variable: 'LEVELSET_CA_FILE_TEXT',
  },
  cert: {
    what: 'the client certificate (cert-file, cert or OS_CERT)',
    file: 'certFile',
    variable: 'LEVELSET_CERT_FILE_TEXT',
  },
  key: {
    what: 'the client key (key-file, key or OS_KEY)',
    file: 'keyFile',
    variable: 'LEVELSET_KEY_FILE_TEXT',
  },
} as const;

/** Merges the sources, and reads the files that they name. Undefined, with `problems`, if something is missing or wrong. */
export async function openStackConfig(
  sources: readonly Access[],
  requestTimeoutMs: number,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<OpenStackConfig | undefined> {
  const before = problems.length;
  const access = mergeAccess(sources);
  const authUrl = checkAuthUrl(access.authUrl, problems);
  const credentials = readCredentials(sources, access, problems);
  const has = ({ file, variable }: (typeof PEMS)['ca' | 'cert' | 'key']): boolean =>
    (env[variable] ?? '') !== '' || access[file] !== undefined;
  const [ca, cert, key] = await Promise.all([
    readPem(PEMS.ca, access, env, problems),
    readPem(PEMS.cert, access, env, problems),
    readPem(PEMS.key, access, env, problems),
  ]);
  if (has(PEMS.cert) !== has(PEMS.key)) {
    problems.push('a client certificate needs both cert-file and key-file');
  }
  const wanted = (access.interface ?? 'public').replace(/URL$/, '');
  const endpoint = INTERFACES.find((name) => name === wanted);
  if (endpoint === undefined)
    problems.push(
      `the endpoint type (os-endpoint-type, interface or OS_INTERFACE) must be one of ${INTERFACES.join(', ')}`,
    );
  if (
    authUrl === undefined ||
    credentials === undefined ||
    endpoint === undefined ||
    problems.length > before
  ) {
    return undefined;
  }
  return {
    authUrl,
    interface: endpoint,
    credentials,
    tlsInsecure: access.tlsInsecure === 'true',
    requestTimeoutMs,
    ...withoutUndefined({ region: access.region, ca, cert, key }),
  };
}

function checkAuthUrl(authUrl: string | undefined, problems: string[]): string | undefined {
  if (authUrl === undefined) {
    problems.push(
      'no address of Keystone: set [Global] auth-url, auth.auth_url of clouds.yaml or OS_AUTH_URL',
    );
    return undefined;
  }
  const url = URL.parse(authUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    problems.push(
      'the address of Keystone must be an http or https URL without a user in it, such as https://keystone.example/v3',
    );
    return undefined;
  }
  if (/\/v2(\.\d+)?\/*$/.test(url.pathname)) {
    problems.push('the address of Keystone is that of version 2 of its API: give the one that ends in /v3');
    return undefined;
  }
  return authUrl;
}

async function readPem(
  { what, file: field, variable }: (typeof PEMS)['ca' | 'cert' | 'key'],
  access: Access,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<string | undefined> {
  const file = access[field];
  const text = env[variable] ?? '';
  if (text.includes('-----BEGIN ')) return text;
  if (text !== '') {
    problems.push(`${variable} has no PEM in it (-----BEGIN ...)`);
    return undefined;
  }
  if (file === undefined) return undefined;
  try {
    const instead = `; without a file, as on AWS Lambda, put its text into ${variable}`;
    const pem = await readNamedFile(what, file.replace(/^~(?=\/)/, homedir()), instead);
    if (pem.includes('-----BEGIN ')) return pem;
    problems.push(`${what}: ${file} has no PEM in it (-----BEGIN ...)`);
  } catch (error) {
    problems.push(errorText(error));
  }
  return undefined;
}
