import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { listen, parseListen } from '../../../functions/serve/listen.ts';

test.each([
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080, loopback: true }],
  ['localhost:80', { host: 'localhost', port: 80, loopback: true }],
  ['[::1]:8080', { host: '::1', port: 8080, loopback: true }],
  ['0.0.0.0:8080', { host: '0.0.0.0', port: 8080, loopback: false }],
  ['127.example.org:8080', { host: '127.example.org', port: 8080, loopback: false }],
  [':8080', { host: '::', port: 8080, loopback: false }],
])('%s', (text, expected) => {
  expect(parseListen(text)).toEqual(expected);
});

test.each(['8080', 'localhost', '::1:8080', '127.0.0.1:70000', ''])('%j is refused in words', (text) => {
  expect(() => parseListen(text)).toThrow('--listen has a value that is not allowed: give HOST:PORT');
});

const nobody = (): void => undefined;

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

test('plain HTTP beyond loopback is refused, unless a flag allows it', async () => {
  await expect(listen(nobody, '192.0.2.1:0', {})).rejects.toThrow(
    /--allow-plain-http where a proxy in front/,
  );
  await expect(listen(nobody, '192.0.2.1:0', { allowPlainHttp: true })).rejects.toThrow('cannot listen on');
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
