import { join } from 'node:path';
import { lab } from './environment.ts';
import { run, type Ran } from './run.ts';

/** What a client of TLS is shown. */
export interface Shown {
  /** `CN = one.example.org`. */
  readonly subject: string | undefined;
  /** `TLSv1.3`. */
  readonly version: string | undefined;
  readonly alpn: string | undefined;
}

function inClient(command: readonly string[]): Promise<Ran> {
  const dataplane = join(lab().repository, 'infra/lab/openstack/dataplane.sh');
  return run(dataplane, ['client', ...command], { env: { LAB: lab().labState }, timeoutMs: 20_000 });
}

/** The handshake from outside, with a name for SNI and further options of `openssl s_client`. */
export async function handshake(
  address: string,
  name: string,
  options: readonly string[] = [],
): Promise<Shown> {
  const target = ['-connect', `${address}:443`, '-servername', name, '-alpn', 'h2,http/1.1'];
  const { stdout } = await inClient(['timeout', '8', 'openssl', 's_client', ...target, ...options]);
  const find = (pattern: RegExp): string | undefined => pattern.exec(stdout)?.[1];
  return {
    subject: find(/^subject=(.*)$/m),
    version: find(/^New, (TLSv[\d.]+), Cipher is (?!\(NONE\))/m),
    alpn: find(/^ALPN protocol: (.*)$/m),
  };
}

/** What the node behind it says it was asked: its headers, in JSON. */
export async function askHttps(address: string, name: string): Promise<Readonly<Record<string, string>>> {
  const resolve = ['--resolve', `${name}:443:${address}`];
  const { stdout } = await inClient(['curl', '-sk', '--max-time', '5', ...resolve, `https://${name}/`]);
  const { headers } = JSON.parse(stdout) as { headers: Record<string, string> };
  return headers;
}
