import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { createOpenStackHttp } from '../../../shared/openstack/openstack-http.ts';
import { portOf } from '../../support/for-one-test.ts';
import { configFor } from './fake-openstack.ts';

/** A certificate for 127.0.0.1 and its key, made for these tests; valid until 2126. */
const PEM = readFileSync(new URL('self-signed.pem', import.meta.url), 'utf8');
const chain = (name: string): string =>
  readFileSync(new URL(`../../support/certificates/chain-${name}`, import.meta.url), 'utf8');
const CHAIN = ['root.crt', 'issuer.crt', 'leaf.crt', 'leaf.key'].map(chain);
const [root = '', issuer = '', leaf = '', key = ''] = CHAIN;

/** Asks a server that tells whether it knows the client's certificate. */
async function ask(served: ServerOptions, config: Partial<OpenStackConfig>, host = '127.0.0.1') {
  const options = { ...served, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, ({ socket }, response) => {
    response.end(JSON.stringify({ known: socket instanceof TLSSocket && socket.authorized }));
  });
  const url = `https://${host}:${await portOf(server, '::')}`;
  const http = createOpenStackHttp({ ...configFor(url), ...config }, () => undefined);
  return http({ service: 'identity', method: 'POST', url });
}

const SIGNED = { key: PEM, cert: PEM, ca: PEM };
const ISSUED = { key, cert: `${leaf}${issuer}` };
const NOBODY = /self-signed.*; ca-file has to have the certificate of who signed it$/;
const ALL = `${root}# ${issuer}\n${leaf}`.replaceAll('\n', '\r\n');

test.each<[what: string, ServerOptions, Partial<OpenStackConfig>, known: boolean | RegExp, host?: string]>([
  ['the CA that is given', SIGNED, { ca: PEM }, false],
  ['a client certificate', SIGNED, { ca: PEM, cert: PEM, key: PEM }, true],
  ['no check when told so', SIGNED, { tlsInsecure: true }, false],
  ['a certificate nobody vouches for', SIGNED, {}, NOBODY],
  // a certificate that an intermediate has issued, and what is in ca-file
  ['the root', ISSUED, { ca: root }, false],
  ['the issuer alone', ISSUED, { ca: issuer }, false],
  ['the certificate itself', ISSUED, { ca: leaf }, false],
  ['what the server sends', ISSUED, { ca: `${leaf}${issuer}` }, false],
  ['all of them, with words between and the line ends of Windows', ISSUED, { ca: ALL }, false],
  ['the issuer beside another authority', ISSUED, { ca: `${PEM}${issuer}` }, false],
  ['another authority', ISSUED, { ca: PEM }, /ca-file has to have/],
  ['a name that the certificate lacks', ISSUED, { ca: issuer }, /::1 is not in the cert/, '[::1]'],
])('OpenStack is believed, or not, with %s', async (_, served, config, known, host) => {
  const asked = ask(served, config, host);
  if (known instanceof RegExp) await expect(asked).rejects.toThrow(known);
  else expect(await asked).toMatchObject({ status: 200, body: { known } });
});
