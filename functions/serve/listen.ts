import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Flags } from '../../shared/config/read-flags.ts';
import { hostPort, NotAllowed, refusalOf, type HostPort } from '../../shared/config/read-value.ts';
import { errorText, ReconcileError } from '../../shared/model/errors.ts';
import { readNamedFile } from '../../shared/named-file.ts';
import { onFileChange, type FileLook } from './followed-files.ts';

type ListenFlags = Pick<Flags, 'tlsCertFile' | 'tlsPrivateKeyFile' | 'clientCaFile' | 'allowPlainHttp'>;

interface Listening {
  readonly url: string;
  /** Accepts no new connections, closes idle ones, and after two seconds the others. */
  close(): Promise<void>;
}

const LAST_ANSWERS_MS = 2_000;
/** An apiserver needs a few. */
const MOST_CONNECTIONS = 500;
/** A connection that sends no request, half of one, or no TLS makes room for others. */
const HANDSHAKE_MS = 10_000;
const LIMITS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

export function parseListen(listen: string): HostPort & { readonly loopback: boolean } {
  const read = hostPort(listen);
  if (read instanceof NotAllowed)
    throw new ReconcileError('CONFIG_INVALID', refusalOf('--listen', listen, read));
  return { ...read, loopback: LOOPBACK.test(read.host) };
}

/** Listens with HTTP, or with HTTPS if there is a certificate. Throws CONFIG_INVALID if it cannot. */
export async function listen(
  handler: http.RequestListener,
  address: string,
  flags: ListenFlags,
  look?: FileLook,
  handshakeMs = HANDSHAKE_MS,
): Promise<Listening> {
  const { host, port, loopback } = parseListen(address);
  const tls = await readTls(flags);
  if (!tls && !loopback && !flags.allowPlainHttp)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `--listen ${address} is reached from other machines, and tokens would pass in the clear: give --tls-cert-file and --tls-private-key-file, or --allow-plain-http where a proxy in front ends TLS`,
    );
  const server = tls
    ? https.createServer({ ...LIMITS, handshakeTimeout: handshakeMs, ...tls })
    : http.createServer(LIMITS);
  server.on('request', handler);
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host === '::' ? undefined : host); // without a host also where the kernel has no IPv6
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ReconcileError('CONFIG_INVALID', `cannot listen on ${address}: ${whyNot(error, address)}`);
  }
  const stopLooking =
    look && tls && server instanceof https.Server ? followFiles(flags, look, server, tls) : () => undefined;
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: async () => {
      stopLooking();
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const impatient = setTimeout(() => {
        server.closeAllConnections();
      }, LAST_ANSWERS_MS);
      await closed;
      clearTimeout(impatient);
    },
  };
}

/** Of a port that is taken, the flag that gives another one, as whoever ran `npm start` has to type it. */
function whyNot(error: unknown, address: string): string {
  const reason = errorText(error);
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return reason;
  const before = process.env['npm_lifecycle_event'] === 'start' ? 'npm start -- ' : '';
  return `another program listens there (${reason}): give another port, or 0 for one that is free: ${before}--listen=${address.replace(/\d+$/, '0')}`;
}

/** New connections get what is in the files now; while that cannot be used, what was there before. */
function followFiles(
  flags: ListenFlags,
  look: FileLook,
  server: https.Server,
  first: https.ServerOptions,
): () => void {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = flags;
  const paths = [tlsCertFile, tlsPrivateKeyFile, clientCaFile].filter((path) => path !== undefined);
  let { ca } = first;
  const read = async (): Promise<void> => {
    const now = (await readTls(flags)) ?? {};
    server.setSecureContext(now);
    // whoever shows a certificate connects again, and shows it to the new CA; a kube-apiserver sends again what broke off
    if (now.ca !== ca) server.closeAllConnections();
    ca = now.ca;
  };
  return onFileChange('certificates', paths, read, look);
}

async function readTls(flags: ListenFlags): Promise<https.ServerOptions | undefined> {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = flags;
  if ([tlsCertFile, tlsPrivateKeyFile, clientCaFile].every((path) => path === undefined)) return undefined;
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    throw new ReconcileError(
      'CONFIG_INVALID',
      'TLS needs both --tls-cert-file and --tls-private-key-file; --client-ca-file needs TLS',
    );
  }
  return {
    cert: await readNamedFile('--tls-cert-file', tlsCertFile),
    key: await readNamedFile('--tls-private-key-file', tlsPrivateKeyFile),
    ...(clientCaFile !== undefined && {
      ca: await readNamedFile('--client-ca-file', clientCaFile),
      requestCert: true,
      rejectUnauthorized: true,
    }),
    minVersion: 'TLSv1.2',
  };
}
