import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { createHttp, type HttpAnswer } from '../../../shared/openstack/openstack-http.ts';
import { configFor } from './fake-openstack.ts';

/** A certificate for 127.0.0.1 and its key, made for these tests; valid until 2126. */
const PEM = readFileSync(new URL('self-signed.pem', import.meta.url), 'utf8');

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(
    { key: PEM, cert: PEM, ca: PEM, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      response.end(
        JSON.stringify({ known: request.socket instanceof TLSSocket && request.socket.authorized }),
      );
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function read(config: Partial<OpenStackConfig>): Promise<HttpAnswer> {
  const http = createHttp({ ...configFor(url), ...config }, () => undefined);
  return http({ service: 'identity', method: 'POST', url });
}

describe('TLS', () => {
  it.each([
    ['the CA that is given', { ca: PEM }, { known: false }],
    ['a client certificate', { ca: PEM, cert: PEM, key: PEM }, { known: true }],
    ['no check when told so', { tlsInsecure: true }, { known: false }],
  ])('works with %s', async (_what, config, body) => {
    expect(await read(config)).toMatchObject({ status: 200, body });
  });

  it('holds an IPv6 address against the certificate', async () => {
    const pem = readFileSync(new URL('self-signed-ipv6.pem', import.meta.url), 'utf8');
    const known = createServer({ key: pem, cert: pem }, (_, response) => response.end('{}'));
    await new Promise<void>((resolve) => known.listen(0, '::1', resolve));
    onTestFinished(() => void known.close());
    const address = `https://[::1]:${(known.address() as AddressInfo).port}`;
    const ask = (ca: string): Promise<HttpAnswer> =>
      createHttp(
        { ...configFor(address), ca },
        () => undefined,
      )({
        ...{ service: 'identity', method: 'POST', url: address },
      });
    expect(await ask(pem)).toMatchObject({ status: 200 });
    await expect(ask(PEM)).rejects.toThrow(/self-signed/);
  });

  it('refuses a certificate nobody vouches for', async () => {
    await expect(read({})).rejects.toThrow(
      /self-signed.*; ca-file has to have the certificate of who signed it$/,
    );
  });
});
