import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi, beforeEach, beforeAll, afterAll } from 'vitest';
import { listen, parseListen } from '../../../functions/serve/listen.ts';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tls from 'node:tls';
import { heard } from '../running.ts';

const nobody = (): void => undefined;

test.each([
  ['127.0.0.1:0', ['127.0.0.1'], true],
  ['localhost:0', undefined, true],
  ['[::1]:0', ['::1'], true],
  ['0.0.0.0:0', ['127.0.0.1'], false],
  ['[::]:0', ['127.0.0.1', '::1'], false],
  [':0', ['127.0.0.1', '::1'], false],
  ['127.example.org:0', undefined, false],
  ['192.0.2.1:0', undefined, false],
])('--listen %s is reached at %j, without TLS on loopback alone', async (address, hosts, loopback) => {
  expect(parseListen(address)).toMatchObject({ port: 0, loopback });
  if (!loopback)
    await expect(listen(nobody, address, {})).rejects.toThrow(/--allow-plain-http where a proxy in front/);
  if (!hosts) return;
  const own = randomUUID();
  const listening = await listen((_, response) => response.end(own), address, { allowPlainHttp: true });
  onTestFinished(() => listening.close());
  const port = new URL(listening.url).port;
  // another process may listen at the same port of the other address
  const isReached = (host: string): Promise<boolean> =>
    fetch(`http://${host}:${port}`)
      .then((answer) => answer.text())
      .then((body) => body === own)
      .catch(() => false);
  expect(await isReached('127.0.0.1')).toBe(hosts.includes('127.0.0.1'));
  expect(await isReached('[::1]')).toBe(hosts.includes('::1'));
});

test.each(['8080', 'localhost', '::1:8080', '127.0.0.1:70000', ''])('%j is refused in words', (text) => {
  expect(() => parseListen(text)).toThrow('--listen has a value that is not allowed: give HOST:PORT');
});

test('half a TLS configuration is refused, and a file that is not there is named', async () => {
  await expect(listen(nobody, '127.0.0.1:0', { clientCaFile: 'ca.pem' })).rejects.toThrow('TLS needs both');
  await expect(
    listen(nobody, '127.0.0.1:0', { tlsCertFile: '/nowhere.pem', tlsPrivateKeyFile: '/nowhere.key' }),
  ).rejects.toThrow('--tls-cert-file: there is no such file in / (ENOENT)');
});

test('a port that is taken is a message in words', async () => {
  const first = await listen(nobody, '127.0.0.1:0', {});

  const taken = listen(nobody, new URL(first.url).host, {});
  await expect(taken).rejects.toThrow(/cannot listen on .*EADDRINUSE.*: --listen=127\.0\.0\.1:0$/);
  vi.stubEnv('npm_lifecycle_event', 'start');
  const ofNpm = listen(nobody, new URL(first.url).host, {});
  await expect(ofNpm).rejects.toThrow(/: npm start -- --listen=127\.0\.0\.1:0$/);
  vi.unstubAllEnvs();

  await first.close();
});

test('more connections than an apiserver needs are not taken', async () => {
  const listening = await listen(nobody, '127.0.0.1:0', {});
  const port = Number(new URL(listening.url).port);
  let closed = 0;
  const sockets = Array.from({ length: 520 }, () =>
    connect(port, '127.0.0.1').on('close', () => (closed += 1)),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await expect.poll(() => closed).toBe(20);
  for (const socket of sockets) socket.destroy();
  await listening.close();
});

const run = promisify(execFile);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'levelset-tls-'));
  for (const name of ['server', 'client', 'stranger']) {
    const out = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    await run('openssl', ['req', '-x509', ...key, ...out, ...about], { cwd: directory });
  }
});
afterAll(() => rm(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);
const read = (name: string): Promise<Buffer> => readFile(file(name));

/** The files that a server is given, which a test may replace. */
const FILES = { 'served.pem': 'server.pem', 'served.key': 'server.key', 'client.ca': 'client.pem' };
beforeEach(async () => {
  for (const [name, from] of Object.entries(FILES)) await copyFile(file(from), file(name));
});

/** With the certificate of served.pem, and for clients of client.ca alone unless it is for all. */
async function server({ forAll = false, handshakeMs = 10_000 } = {}) {
  const flags = {
    tlsCertFile: file('served.pem'),
    tlsPrivateKeyFile: file('served.key'),
    ...(!forAll && { clientCaFile: file('client.ca') }),
  };
  const { log, lines } = heard();
  const begin = () =>
    listen((_, answer) => answer.end('ok'), '127.0.0.1:0', flags, { log, everyMs: 20 }, handshakeMs);
  const listening = await begin();
  onTestFinished(() => listening.close());
  const told = (text: string) => expect.poll(() => lines.join()).toContain(text);
  return { url: listening.url, port: Number(new URL(listening.url).port), told, begin };
}

async function get(url: string, client?: string): Promise<number | undefined> {
  const own = client && { cert: await read(`${client}.pem`), key: await read(`${client}.key`) };
  const ca = await read('server.pem');
  return new Promise((resolve, reject) => {
    const request = https.get(url, { ca, agent: false, ...own }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
}

test('a connection that begins no TLS is closed', async () => {
  const { port } = await server({ forAll: true, handshakeMs: 50 });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await expect.poll(() => socket.closed, { timeout: 800 }).toBe(true);
});

test('with a client CA only who shows a certificate of it is let in', async () => {
  const { url } = await server();
  expect(await get(url, 'client')).toBe(200);
  await expect(get(url)).rejects.toThrow();
  await expect(get(url, 'stranger')).rejects.toThrow();
});

test.each(Object.keys(FILES))('an empty %s is refused, at the start and later', async (name) => {
  const { url, told, begin } = await server();
  await writeFile(file(name), '');
  await told(`${name} is empty`);
  expect(await get(url, 'client')).toBe(200);
  await expect(begin()).rejects.toThrow(`${name} is empty`);
});

test('a certificate that was replaced counts for new connections; half a pair changes nothing', async () => {
  const { url, told } = await server({ forAll: true });
  expect(url).toMatch(/^https:/);
  await copyFile(file('stranger.pem'), file('served.pem'));
  await told('goes on with the certificates that it read before');
  expect(await get(url)).toBe(200);
  await copyFile(file('stranger.key'), file('served.key'));
  await told('the certificates were read again');
  await expect(get(url)).rejects.toThrow('self-signed certificate');
});

test('a client CA that was replaced ends the connections that its clients have open', async () => {
  const { port } = await server();
  const [ca, cert, key] = await Promise.all(['server.pem', 'client.pem', 'client.key'].map(read));
  const socket = tls.connect({ port, host: '127.0.0.1', ca, cert, key });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  await copyFile(file('stranger.pem'), file('client.ca'));
  await expect.poll(() => socket.closed, { timeout: 2_000 }).toBe(true);
});
