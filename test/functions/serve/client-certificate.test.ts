/** The kube-apiserver at /audit by a certificate in the name of its cluster. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { listen, type Listening } from '../../../functions/serve/listen.ts';
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
  how: { readonly client?: string; readonly token?: string; readonly path?: string; readonly ca?: string },
  byCertificate = true,
): Promise<number | undefined> {
  const { app } = testServer({ byCertificate });
  const flags = { tlsCertFile: file('server.pem'), tlsPrivateKeyFile: file('server.key') };
  const asked = byCertificate
    ? { auditClientCaFile: file(how.ca ?? 'ca.pem') }
    : { clientCaFile: file('ca.pem') };
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

test('a caller is known by an authority alone, not by its own certificate in the file', async () => {
  expect(await post({ client: 'kubernetes', ca: 'kubernetes.pem' })).toBe(401);
});

test('a certificate that everybody has to show takes no token’s place', async () => {
  expect(await post({ client: 'kubernetes' }, false)).toBe(401);
  expect(await post({ client: 'kubernetes', token: AUDIT }, false)).toBe(202);
});

/** A server whose certificate and CA are replaced by what `replace` copies. */
async function following(): Promise<Listening & { replace: (from: string, to: string) => Promise<void> }> {
  await copyFile(file('ca.pem'), file('followed-ca.pem'));
  await copyFile(file('server.pem'), file('followed.pem'));
  const files = { tlsCertFile: file('followed.pem'), tlsPrivateKeyFile: file('server.key') };
  let told = 0;
  const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn(), info: () => void (told += 1) };
  const listening = await listen(
    (request, response) => void request.resume().once('end', () => response.end('served')),
    '127.0.0.1:0',
    { ...files, auditClientCaFile: file('followed-ca.pem') },
    { log, everyMs: 20 },
  );
  onTestFinished(() => listening.close());
  const replace = async (from: string, to: string): Promise<void> => {
    const before = told;
    await copyFile(file(from), file(to));
    await vi.waitFor(() => {
      expect(told).toBeGreaterThan(before);
    });
  };
  return { ...listening, replace };
}

/** A connection with the certificate of the cluster; `text` is what came, until it was closed. */
async function open(port: number): Promise<{ socket: Socket; text: () => string }> {
  const [cert, key] = await Promise.all(['pem', 'key'].map((kind) => readFile(file(`kubernetes.${kind}`))));
  const socket = connectTls({ port, host: '127.0.0.1', cert, key, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (part) => (text += String(part)));
  await once(socket, 'secureConnect');
  return { socket, text: () => text };
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('a CA that was replaced lets nobody in over a connection from before, whether it was open or just begun', async () => {
  const { url, replace } = await following();
  const port = Number(new URL(url).port);
  const begun = connectTcp(port, '127.0.0.1').on('error', () => undefined);
  await once(begun, 'connect');
  const idle = await open(port);
  idle.socket.on('error', () => undefined).write(GET);
  await vi.waitFor(() => {
    expect(idle.text()).toMatch(/served/);
  });
  await replace('stranger.pem', 'followed-ca.pem');
  await vi.waitFor(() => {
    expect([idle.socket.closed, begun.closed]).toEqual([true, true]);
  });
  const next = await open(port);
  next.socket.write(GET);
  await vi.waitFor(() => {
    expect(next.text()).toMatch(/200 OK.*served/s);
  });
});

test('a certificate of the server that was replaced closes no connection', async () => {
  const { url, replace } = await following();
  const { socket, text } = await open(Number(new URL(url).port));
  await replace('server.pem', 'followed.pem');
  socket.write(GET);
  await vi.waitFor(() => {
    expect(text()).toMatch(/200 OK.*served/s);
  });
});

test('everybody and the apiserver alone cannot both be asked', async () => {
  const flags = { tlsCertFile: file('server.pem'), tlsPrivateKeyFile: file('server.key') };
  const both = { clientCaFile: file('ca.pem'), auditClientCaFile: file('ca.pem') };
  await expect(listen(() => undefined, '127.0.0.1:0', { ...flags, ...both })).rejects.toThrow(
    'give one of them',
  );
});
