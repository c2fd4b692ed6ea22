import type { Server, Socket } from 'node:net';

/**
 * Connections that were there before the clients' CA was replaced: they show a certificate that was judged by the old one,
 * also where the handshake ended later.
 */
export class OlderConnections {
  readonly #open = new Map<string, Socket>();
  #older = new Set<string>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#open.set(name, socket);
      this.#older.delete(name);
      socket.once('close', () => {
        if (this.#open.get(name) === socket) this.#open.delete(name);
      });
    });
  }

  /** All that are there now are older. */
  add(): void {
    this.#older = new Set(this.#open.keys());
  }

  has(socket: Socket): boolean {
    return this.#older.has(nameOf(socket));
  }
}

/** The socket of a request is another object than the one that was accepted, with TLS in between. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
