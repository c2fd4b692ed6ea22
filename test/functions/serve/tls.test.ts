import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../functions/serve/listen.ts';
import type { FileLook } from '../../../functions/serve/on-file-change.ts';

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

/** The status of a GET with, or without, a client's certificate. */
async function get(url: string, client?: string): Promise<number | undefined> {
  const own = client && {
    cert: await readFile(file(`${client}.pem`)),
    key: await readFile(file(`${client}.key`)),
  };
  const ca = await readFile(file('server.pem'));
  return new Promise((resolve, reject) => {
    const request = https.get(url, { ca, agent: false, ...own }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
}

async function server(clientCaFile?: string, look?: FileLook): Promise<string> {
  const listening = await listen(
    (_request, response) => response.end('ok'),
    '127.0.0.1:0',
    {
      tlsCertFile: file('server.pem'),
      tlsPrivateKeyFile: file('server.key'),
      ...(clientCaFile !== undefined && { clientCaFile }),
    },
    look,
  );
  onTestFinished(() => listening.close());
  return listening.url;
}

test('with a certificate it speaks HTTPS', async () => {
  const url = await server();

  expect(url).toMatch(/^https:/);
  expect(await get(url)).toBe(200);
});

test('a connection that begins no TLS is closed', async () => {
  const flags = { tlsCertFile: file('server.pem'), tlsPrivateKeyFile: file('server.key') };
  const listening = await listen(() => undefined, '127.0.0.1:0', flags, undefined, 50);
  onTestFinished(() => listening.close());
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await vi.waitFor(() => {
    expect(socket.closed).toBe(true);
  }, 800);
});

test('with a client CA only who shows a certificate of it is let in', async () => {
  const url = await server(file('client.pem'));

  expect(await get(url, 'client')).toBe(200);
  await expect(get(url)).rejects.toThrow();
  await expect(get(url, 'stranger')).rejects.toThrow();
});

test.each(['served.pem', 'served.key', 'client.ca'])(
  'an empty %s is refused, at the start and later',
  async (name) => {
    const flags = {
      tlsCertFile: file('served.pem'),
      tlsPrivateKeyFile: file('served.key'),
      clientCaFile: file('client.ca'),
    };
    for (const end of ['pem', 'key']) await copyFile(file(`server.${end}`), file(`served.${end}`));
    await copyFile(file('client.pem'), file('client.ca'));
    const warn = vi.fn<(message: string, fields?: object) => void>();
    const log = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
    const answer: Parameters<typeof listen>[0] = (_request, response) => response.end('ok');
    const listening = await listen(answer, '127.0.0.1:0', flags, { log, everyMs: 20 });
    onTestFinished(() => listening.close());

    await writeFile(file(name), '');
    await vi.waitFor(() => {
      expect(JSON.stringify(warn.mock.calls)).toContain(`${name} is empty`);
    });
    expect(await get(listening.url, 'client')).toBe(200);
    await expect(listen(answer, '127.0.0.1:0', flags)).rejects.toThrow(`${name} is empty`);
  },
);

test('a certificate that was replaced counts for new connections; half a pair changes nothing', async () => {
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  for (const end of ['pem', 'key']) await copyFile(file(`server.${end}`), file(`served.${end}`));
  const listening = await listen(
    (_request, response) => response.end('ok'),
    '127.0.0.1:0',
    { tlsCertFile: file('served.pem'), tlsPrivateKeyFile: file('served.key') },
    { log, everyMs: 20 },
  );
  onTestFinished(() => listening.close());
  const told = (text: string) =>
    vi.waitFor(() => {
      expect(lines.join()).toContain(text);
    });
  await copyFile(file('stranger.pem'), file('served.pem'));
  await told('goes on with the certificates that it read before');
  expect(await get(listening.url)).toBe(200);
  await copyFile(file('stranger.key'), file('served.key'));
  await told('the certificates were read again');
  await expect(get(listening.url)).rejects.toThrow('self-signed certificate');
});

test('a client CA that was replaced ends the connections that its clients have open', async () => {
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  await copyFile(file('client.pem'), file('client.ca'));
  const flags = {
    tlsCertFile: file('server.pem'),
    tlsPrivateKeyFile: file('server.key'),
    clientCaFile: file('client.ca'),
  };
  const answer: Parameters<typeof listen>[0] = (_request, response) => response.end('ok');
  const listening = await listen(answer, '127.0.0.1:0', flags, { log, everyMs: 20 });
  onTestFinished(() => listening.close());
  const [ca, cert, key] = await Promise.all(
    ['server.pem', 'client.pem', 'client.key'].map((name) => readFile(file(name))),
  );
  const socket = tls.connect({ port: Number(new URL(listening.url).port), host: '127.0.0.1', ca, cert, key });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  await copyFile(file('stranger.pem'), file('client.ca'));
  await vi.waitFor(() => {
    expect(socket.closed).toBe(true);
  }, 2_000);
});
