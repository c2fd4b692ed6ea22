import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../functions/serve/listen.ts';

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

async function server(clientCaFile?: string): Promise<string> {
  const listening = await listen((_request, response) => response.end('ok'), '127.0.0.1:0', {
    tlsCertFile: file('server.pem'),
    tlsPrivateKeyFile: file('server.key'),
    ...(clientCaFile !== undefined && { clientCaFile }),
  });
  onTestFinished(() => listening.close());
  return listening.url;
}

test('with a certificate it speaks HTTPS', async () => {
  const url = await server();

  expect(url).toMatch(/^https:/);
  expect(await get(url)).toBe(200);
});

test('with a client CA only who shows a certificate of it is let in', async () => {
  const url = await server(file('client.pem'));

  expect(await get(url, 'client')).toBe(200);
  await expect(get(url)).rejects.toThrow();
  await expect(get(url, 'stranger')).rejects.toThrow();
});
