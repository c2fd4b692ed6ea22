/** The kube-apiserver at /audit by a certificate in the name of its cluster. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../functions/serve/listen.ts';
import { AUDIT, testServer } from '../../http/test-server.ts';

const run = promisify(execFile);
let directory: string;
const file = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-client-'));
  const openssl = (...args: readonly string[]) => run('openssl', [...args], { cwd: directory });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  for (const name of ['ca', 'stranger', 'server']) {
    const about = [
      '-subj',
      `/CN=${name === 'stranger' ? 'kubernetes' : name}`,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ];
    await openssl('req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.pem`, ...about);
  }
  for (const name of ['kubernetes', 'other']) {
    await openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
    );
  }
});
afterAll(() => rm(directory, { recursive: true }));

async function post(
  how: { readonly client?: string; readonly token?: string; readonly path?: string },
  byCertificate = true,
): Promise<number | undefined> {
  const { app } = testServer({ byCertificate });
  const flags = { tlsCertFile: file('server.pem'), tlsPrivateKeyFile: file('server.key') };
  const asked = byCertificate ? { auditClientCaFile: file('ca.pem') } : { clientCaFile: file('ca.pem') };
  const listening = await listen(app, '127.0.0.1:0', { ...flags, ...asked });
  onTestFinished(() => listening.close());
  const { client, token, path = '/audit/kubernetes' } = how;
  const own = client && {
    cert: await readFile(file(`${client}.pem`)),
    key: await readFile(file(`${client}.key`)),
  };
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: token }),
  };
  const ca = await readFile(file('server.pem'));
  return new Promise((resolve, reject) => {
    const call = https.request(
      `${listening.url}${path}`,
      { method: 'POST', ca, agent: false, headers, ...own },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    call.on('error', reject);
    call.end('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}');
  });
}

test.each([
  [{ client: 'kubernetes' }, 202],
  [{ client: 'other' }, 401],
  [{ client: 'stranger' }, 401],
  [{}, 401],
  [{ token: AUDIT }, 202],
  [{ client: 'other', token: AUDIT }, 202],
  [{ client: 'kubernetes', path: '/audit/cluster-uid' }, 401],
  [{ client: 'other', path: '/audit/other' }, 404],
  [{ client: 'kubernetes', path: '/resync' }, 401],
])('%j is answered with %i', async (how, status) => {
  expect(await post(how)).toBe(status);
});

test('a certificate that everybody has to show takes no token’s place', async () => {
  expect(await post({ client: 'kubernetes' }, false)).toBe(401);
  expect(await post({ client: 'kubernetes', token: AUDIT }, false)).toBe(202);
});

test('everybody and the apiserver alone cannot both be asked', async () => {
  const flags = { tlsCertFile: file('server.pem'), tlsPrivateKeyFile: file('server.key') };
  const both = { clientCaFile: file('ca.pem'), auditClientCaFile: file('ca.pem') };
  await expect(listen(() => undefined, '127.0.0.1:0', { ...flags, ...both })).rejects.toThrow(
    'give one of them',
  );
});
