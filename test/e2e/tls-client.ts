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
  const answer = await askHttpsAs(address, name);
  if (typeof answer === 'string') throw new Error(answer);
  return answer.headers;
}

/** What a node said; `tls` is whether it was spoken to by TLS. */
export interface NodeAnswer {
  readonly node: string;
  readonly tls: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request, with a certificate of the client's own or none: the node's answer, or in words why there was none. */
export async function askHttpsAs(
  address: string,
  name: string,
  own?: { readonly cert: string; readonly key: string },
): Promise<NodeAnswer | string> {
  const resolve = ['--resolve', `${name}:443:${address}`];
  const shown = own ? ['--cert', own.cert, '--key', own.key] : [];
  const curl = ['curl', '-skS', '--max-time', '5', ...shown, ...resolve, '-w', '\n%{http_code}'];
  const { code, stdout, stderr } = await inClient([...curl, `https://${name}/`]);
  if (code !== 0) return `no answer: ${stderr.trim()}`;
  const [status = '', ...lines] = stdout.split('\n').reverse();
  return status === '200' ? (JSON.parse(lines.reverse().join('\n')) as NodeAnswer) : `status ${status}`;
}
