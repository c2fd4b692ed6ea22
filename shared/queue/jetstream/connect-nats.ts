import { readFile } from 'node:fs/promises';
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';

export interface NatsAddress {
  /** nats:// or tls:// URLs of servers of one NATS. */
  readonly servers: readonly string[];
  /** A credentials file of NATS: a JWT and the seed that signs for it. */
  readonly credentialsFile?: string;
  /** The CAs of the servers' certificates. */
  readonly caFile?: string;
}

/** A connection whose server says nothing for twice as long counts as lost. */
const PING_MS = 10_000;
const CONNECT_MS = 4_000;

/**
 * Connects once, and from then on again whenever the connection is lost. Reads the files each time that it is called, so a
 * rotated secret counts from the next connection on. Throws where NATS does not answer or refuses.
 */
export async function connectNats({
  servers,
  credentialsFile,
  caFile,
}: NatsAddress): Promise<NatsConnection> {
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
  const credentials = credentialsFile === undefined ? undefined : await readFile(credentialsFile);
  const mustEncrypt = ca !== undefined || servers.some((server) => server.startsWith('tls://'));
  // as in shared/http.ts
  const tls = { allowPartialTrustChain: true, ...(ca !== undefined && { ca }) };
  return connect({
    servers: [...servers],
    name: 'levelset',
    noEcho: true,
    pingInterval: PING_MS,
    maxPingOut: 2,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    ...(credentials && { authenticator: credsAuthenticator(credentials) }),
    ...(mustEncrypt && { tls }),
  });
}
