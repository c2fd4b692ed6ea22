/** What the relay posts over TLS: whom it believes follows the file. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPost } from '../../../functions/relay/post-keys.ts';

const LIMIT_MS = 5_000;

/** Certificate and key of a receiver, signed by nobody but itself. */
function pair(folder: string, name: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', ...kind, ...about, ...files], { stdio: 'ignore' });
  return { cert, key };
}

test('a new CA counts with the next post, and the last one while its file cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'levelset-post-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const [before, after] = [pair(folder, 'before'), pair(folder, 'after')];
  const shown = ({ cert, key }: typeof before) => ({ cert: readFileSync(cert), key: readFileSync(key) });
  const server = https.createServer(shown(before), (request, response) => {
    request.resume();
    response.writeHead(202).end('{"keys":1}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const caFile = join(folder, 'ca.crt');
  copyFileSync(before.cert, caFile);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/events/kubernetes`;
  const post = await createPost({
    url,
    caFile,
    credential: () => Promise.resolve({ authorization: 'Bearer t' }),
  });

  await post(['all'], LIMIT_MS);
  rmSync(caFile);
  await post(['all'], LIMIT_MS);
  server.setSecureContext(shown(after));
  server.closeAllConnections();
  await expect(post(['all'], LIMIT_MS)).rejects.toThrow(/no answer .*SELF_SIGNED/);
  copyFileSync(after.cert, caFile);
  await post(['all'], LIMIT_MS);
});

test('a CA that cannot be read at the start is refused by its flag', async () => {
  const post = createPost({
    url: 'https://127.0.0.1/',
    caFile: '/none',
    credential: () => Promise.resolve({}),
  });
  await expect(post).rejects.toThrow('--events-ca-file: there is no such file in /');
});
