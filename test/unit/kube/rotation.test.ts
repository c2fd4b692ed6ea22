import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { beforeEach, expect, it } from 'vitest';
import { readKubeconfig } from '../../../shared/kube/connection/kubeconfig.ts';
import { createKubeHttp, type KubeHttp } from '../../../shared/kube/kube-http.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { aFolder, portOf } from '../../support/for-one-test.ts';
import { kubeconfigOf } from '../../support/sandbox-world.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
const certificate = (name: string): string =>
  new URL(`../../support/certificates/${name}`, import.meta.url).pathname;
const GET = { method: 'GET', path: '/x', doing: 'read x' } as const;

beforeEach(() => {
  folder = aFolder();
  place('ca', 'chain-issuer.crt', 1_000);
  place('cert', 'one.crt', 1_000);
  place('key', 'one.key', 1_000);
});

/** An apiserver that takes one certificate. */
async function serve(): Promise<{ url: string; takes: (name: string) => void }> {
  let taken = 'one';
  const [cert, key] = ['crt', 'key'].map((kind) => readFileSync(certificate(`chain-leaf.${kind}`)));
  const options = { cert, key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, ({ socket }, answer) => {
    const shown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : undefined;
    const status = shown === `${taken}.example.org` ? 200 : 401;
    answer.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    answer.end('{}');
  });
  return { url: `https://127.0.0.1:${await portOf(server)}`, takes: (name) => (taken = name) };
}

/** Puts a file where the kubeconfig names it. */
function place(name: string, from: string, mtime: number): void {
  copyFileSync(certificate(from), at(name));
  utimesSync(at(name), mtime, mtime);
}

function connectionTo(server: string) {
  const user = { 'client-certificate': 'cert', 'client-key': 'key' };
  const text = kubeconfigOf({ server, 'certificate-authority': 'ca' }, user);
  return readKubeconfig(text, { source: at('kubeconfig') });
}
const statusOf = (http: KubeHttp): Promise<unknown> =>
  http(GET).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof ReconcileError ? error.context.status : error),
  );

it('a client certificate that was replaced is shown at once, and never with the key of the other one', async () => {
  const { url, takes } = await serve();
  const http = createKubeHttp(await connectionTo(url));
  expect(await statusOf(http)).toBe(200);
  place('cert', 'two.crt', 2_000);
  expect(await statusOf(http)).toBe(200);
  place('key', 'two.key', 2_000);
  expect(await statusOf(http)).toBe(401);
  takes('two');
  expect(await statusOf(http)).toBe(200);
  place('cert', 'one.crt', 2_000);
  place('key', 'one.key', 2_000);
  expect(await statusOf(http)).toBe(200);
  takes('one');
  expect(await statusOf(http)).toBe(200); // the files are read again after the 401, though their times are the same
  writeFileSync(at('cert'), '');
  expect(await statusOf(http)).toBe(200);
});

it('a CA that was replaced counts at once, and with the same time after a handshake that failed', async () => {
  const { url } = await serve();
  const post = { method: 'POST', path: '/x', doing: 'write x', body: {} } as const;
  place('ca', 'two.crt', 1_000);
  const http = createKubeHttp(await connectionTo(url));
  await expect(http(post)).rejects.toThrow(/certificate-authority-data in the kubeconfig/);
  place('ca', 'chain-issuer.crt', 1_000);
  expect(await http(post)).toMatchObject({ status: 200 });
  place('ca', 'two.crt', 2_000);
  await expect(http(post)).rejects.toThrow(/certificate/);
});
