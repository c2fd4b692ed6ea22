import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../../../shared/queue/jetstream/connect-nats.ts';

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../support/certificates/${name}`, import.meta.url));

/** A server of NATS that asks for TLS, and takes everybody. */
async function startNats(): Promise<string> {
  const [key, leaf, issuer] = await Promise.all(
    ['chain-leaf.key', 'chain-leaf.crt', 'chain-issuer.crt'].map((name) => readFile(fileOf(name), 'utf8')),
  );
  const server = createServer((socket) => {
    const info = { server_id: 'a', version: '2.11.0', proto: 1, headers: true, max_payload: 1_048_576 };
    socket.write(`INFO ${JSON.stringify({ ...info, tls_required: true })}\r\n`);
    const secure = new TLSSocket(socket, { isServer: true, key, cert: `${leaf}${issuer}` });
    secure.on('error', () => socket.destroy());
    secure.on('data', (part) => String(part).includes('PING') && secure.write('PONG\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `tls://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(['chain-root.crt', 'chain-issuer.crt', 'chain-leaf.crt'])(
  'takes a server by %s as its CA file',
  async (name) => {
    const connection = await connectNats({ servers: [await startNats()], caFile: fileOf(name) });
    await connection.close();
  },
);

it('takes no server that another authority vouches for', async () => {
  await expect(connectNats({ servers: [await startNats()], caFile: fileOf('two.crt') })).rejects.toThrow(
    /issuer|certificate/,
  );
});
