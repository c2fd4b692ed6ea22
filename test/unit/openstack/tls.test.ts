import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { createOpenStackHttp, type HttpAnswer } from '../../../shared/openstack/openstack-http.ts';
import { configFor } from './fake-openstack.ts';

/** A certificate for 127.0.0.1 and its key, made for these tests; valid until 2126. */
const PEM = readFileSync(new URL('self-signed.pem', import.meta.url), 'utf8');
const chain = (name: string): string =>
  readFileSync(new URL(`../../support/certificates/chain-${name}`, import.meta.url), 'utf8');
const [root, issuer, leaf, key] = ['root.crt', 'issuer.crt', 'leaf.crt', 'leaf.key'].map(chain);

/** Asks a server that tells whether it knows the client's certificate. */
async function ask(
  served: ServerOptions,
  config: Partial<OpenStackConfig>,
  host = '127.0.0.1',
): Promise<HttpAnswer> {
  const server = createServer(
    { ...served, requestCert: true, rejectUnauthorized: false },
    ({ socket }, response) => {
      response.end(JSON.stringify({ known: socket instanceof TLSSocket && socket.authorized }));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  const url = `https://${host}:${(server.address() as AddressInfo).port}`;
  const http = createOpenStackHttp({ ...configFor(url), ...config }, () => undefined);
  return http({ service: 'identity', method: 'POST', url });
}

const SIGNED_BY_ITSELF = { key: PEM, cert: PEM, ca: PEM };
it.each([
  ['the CA that is given', { ca: PEM }, { known: false }],
  ['a client certificate', { ca: PEM, cert: PEM, key: PEM }, { known: true }],
  ['no check when told so', { tlsInsecure: true }, { known: false }],
])('TLS works with %s', async (_what, config, body) => {
  expect(await ask(SIGNED_BY_ITSELF, config)).toMatchObject({ status: 200, body });
});

it('a certificate nobody vouches for is refused', async () => {
  await expect(ask(SIGNED_BY_ITSELF, {})).rejects.toThrow(
    /self-signed.*; ca-file has to have the certificate of who signed it$/,
  );
});

const ISSUED = { key, cert: `${leaf}${issuer}` };
// prettier-ignore
it.each([
  ['the root', root],
  ['the issuer alone', issuer],
  ['the certificate itself', leaf],
  ['what the server sends', `${leaf}${issuer}`],
  ['all of them, with words between and the line ends of Windows', `${root}# ${issuer}\n${leaf}`.replaceAll('\n', '\r\n')],
  ['the issuer beside another authority', `${PEM}${issuer}`],
])('a certificate that an intermediate has issued is believed with %s in ca-file', async (_what, ca = '') => {
  expect(await ask(ISSUED, { ca })).toMatchObject({ status: 200 });
});

it.each([
  ['another authority in ca-file', PEM, '127.0.0.1', /ca-file has to have/],
  ['a name that the certificate does not have', issuer, '[::1]', /::1 is not in the cert/],
])(
  'a certificate that an intermediate has issued is refused with %s',
  async (_what, ca = '', host = '', says = /./) => {
    await expect(ask(ISSUED, { ca }, host)).rejects.toThrow(says);
  },
);
