import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen, parseListen } from '../../../functions/serve/listen.ts';

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
])(
  '--listen %s is reached at %j, and without TLS allowed on loopback alone',
  async (address, hosts, loopback) => {
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
    expect([await isReached('127.0.0.1'), await isReached('[::1]')]).toEqual([
      hosts.includes('127.0.0.1'),
      hosts.includes('::1'),
    ]);
  },
);

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
  await vi.waitFor(() => {
    expect(closed).toBe(20);
  });
  for (const socket of sockets) socket.destroy();
  await listening.close();
});
