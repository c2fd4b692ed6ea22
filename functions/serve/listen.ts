import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Flags } from '../../shared/config/read-flags.ts';
import { hostPort, NotAllowed, refusalOf, type HostPort } from '../../shared/config/read-value.ts';
import { errorText, ReconcileError } from '../../shared/model/errors.ts';

type ListenFlags = Pick<Flags, 'tlsCertFile' | 'tlsPrivateKeyFile' | 'clientCaFile' | 'allowPlainHttp'>;

export interface Listening {
  readonly url: string;
  /** Accepts no new connections, closes idle ones, and after two seconds the others. */
  close(): Promise<void>;
}

const LAST_ANSWERS_MS = 2_000;
/** An apiserver needs a few. */
const MOST_CONNECTIONS = 500;
/** A connection that sends no request, or half of one, makes room for others. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5_000 };
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Reads the value of `--listen`. Throws CONFIG_INVALID. */
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
): Promise<Listening> {
  const { host, port, loopback } = parseListen(address);
  const tls = await readTls(flags);
  if (!tls && !loopback && !flags.allowPlainHttp)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `--listen ${address} is reached from other machines, and tokens would pass in the clear: give --tls-cert-file and --tls-private-key-file, or --allow-plain-http where a proxy in front ends TLS`,
    );
  const server = tls
    ? https.createServer({ ...LIMITS, ...tls }, handler)
    : http.createServer(LIMITS, handler);
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host === '::' ? undefined : host); // without a host also where the kernel has no IPv6
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = errorText(error);
    throw new ReconcileError('CONFIG_INVALID', `cannot listen on ${address}: ${reason}`);
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: async () => {
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

async function readTls(flags: ListenFlags): Promise<https.ServerOptions | undefined> {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = flags;
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined && clientCaFile === undefined)
    return undefined;
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    throw new ReconcileError(
      'CONFIG_INVALID',
      'TLS needs both --tls-cert-file and --tls-private-key-file; --client-ca-file needs TLS',
    );
  }
  return {
    cert: await readPem('--tls-cert-file', tlsCertFile),
    key: await readPem('--tls-private-key-file', tlsPrivateKeyFile),
    ...(clientCaFile !== undefined && {
      ca: await readPem('--client-ca-file', clientCaFile),
      requestCert: true,
      rejectUnauthorized: true,
    }),
    minVersion: 'TLSv1.2',
  };
}

async function readPem(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ReconcileError('CONFIG_INVALID', `${flag}: ${path} cannot be read: ${code}`);
  }
}
