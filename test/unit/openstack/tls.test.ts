import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { createOpenStackHttp, type HttpAnswer } from '../../../shared/openstack/openstack-http.ts';
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
  const http = createOpenStackHttp({ ...configFor(url), ...config }, () => undefined);
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

  describe('of a server whose certificate an intermediate has issued', () => {
    const file = (name: string): string =>
      readFileSync(new URL(`../../support/certificates/chain-${name}`, import.meta.url), 'utf8');
    const [root, issuer, leaf, key] = ['root.crt', 'issuer.crt', 'leaf.crt', 'leaf.key'].map(file);
    const ask = async (ca: string, host = '127.0.0.1'): Promise<HttpAnswer> => {
      const served = createServer({ key, cert: `${leaf}${issuer}` }, (_, response) => response.end('{}'));
      await new Promise<void>((resolve) => served.listen(0, resolve));
      onTestFinished(() => void served.close());
      const address = `https://${host}:${(served.address() as AddressInfo).port}`;
      const http = createOpenStackHttp({ ...configFor(address), ca }, () => undefined);
      return http({ service: 'identity', method: 'POST', url: address });
    };

    // prettier-ignore
    it.each([
      ['the root', root],
      ['the issuer alone', issuer],
      ['the certificate itself', leaf],
      ['what the server sends', `${leaf}${issuer}`],
      ['all of them, with words between and the line ends of Windows', `${root}# ${issuer}\n${leaf}`.replaceAll('\n', '\r\n')],
      ['the issuer beside another authority', `${PEM}${issuer}`],
    ])('works with %s in ca-file', async (_what, ca = '') => {
      expect(await ask(ca)).toMatchObject({ status: 200 });
    });

    it.each([
      ['another authority in ca-file', PEM, '127.0.0.1', /ca-file has to have/],
      ['a name that the certificate does not have', issuer, '[::1]', /::1 is not in the cert/],
    ])('fails with %s', async (_what, ca = '', host = '', says = /./) => {
      await expect(ask(ca, host)).rejects.toThrow(says);
    });
  });

  it('holds an IPv6 address against the certificate', async () => {
    const pem = readFileSync(new URL('self-signed-ipv6.pem', import.meta.url), 'utf8');
    const known = createServer({ key: pem, cert: pem }, (_, response) => response.end('{}'));
    await new Promise<void>((resolve) => known.listen(0, '::1', resolve));
    onTestFinished(() => void known.close());
    const address = `https://[::1]:${(known.address() as AddressInfo).port}`;
    const ask = (ca: string): Promise<HttpAnswer> =>
      createOpenStackHttp(
        { ...configFor(address), ca },
        () => undefined,
      )({ ...{ service: 'identity', method: 'POST', url: address } });
    expect(await ask(pem)).toMatchObject({ status: 200 });
    await expect(ask(PEM)).rejects.toThrow(/self-signed/);
  });

  it('refuses a certificate nobody vouches for', async () => {
    await expect(read({})).rejects.toThrow(
      /self-signed.*; ca-file has to have the certificate of who signed it$/,
    );
  });
});
