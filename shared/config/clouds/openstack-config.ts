import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { mergeAccess, type Access } from './access.ts';
import type { OpenStackConfig } from '../config.ts';
import { readCredentials } from './credentials.ts';

const INTERFACES = ['public', 'internal', 'admin'] as const;

/**
 * Merges the sources, each field from the first source that has it, and reads the files that they name. Returns undefined,
 * and adds to `problems`, if something is missing or wrong.
 */
export async function openStackConfig(
  sources: readonly Access[],
  requestTimeoutMs: number,
  problems: string[],
): Promise<OpenStackConfig | undefined> {
  const before = problems.length;
  const access = mergeAccess(sources);
  const authUrl = checkAuthUrl(access.authUrl, problems);
  const credentials = readCredentials(sources, access, problems);
  const [ca, cert, key] = await Promise.all([
    readPem('the CA file', access.caFile, problems),
    readPem('the client certificate', access.certFile, problems),
    readPem('the client key', access.keyFile, problems),
  ]);
  if ((access.certFile === undefined) !== (access.keyFile === undefined)) {
    problems.push('a client certificate needs both cert-file and key-file');
  }
  const wanted = (access.interface ?? 'public').replace(/URL$/, '');
  const endpoint = INTERFACES.find((name) => name === wanted);
  if (endpoint === undefined)
    problems.push(`the endpoint type must be one of ${INTERFACES.join(', ')}, not ${JSON.stringify(wanted)}`);
  if (!['true', 'false', undefined].includes(access.tlsInsecure)) {
    problems.push('[Global] tls-insecure must be true or false');
  }
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
    ...(access.region === undefined ? {} : { region: access.region }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
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
    problems.push(`${authUrl} is version 2 of Keystone's API: give the address that ends in /v3`);
    return undefined;
  }
  return authUrl;
}

async function readPem(
  what: string,
  file: string | undefined,
  problems: string[],
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const pem = await readFile(file.replace(/^~(?=\/)/, homedir()), 'utf8');
    if (pem.includes('-----BEGIN ')) return pem;
    problems.push(`${what} ${file} has no PEM in it (-----BEGIN ...)`);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    problems.push(`${what} ${file} cannot be read: ${reason}`);
  }
  return undefined;
}
