/** Where the kube-apiserver sends its audit events: passes the bytes on while it is open, and nobody listens while it is shut. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { lab } from '../lab/lab.ts';

export class Door {
  readonly #behind: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** `behind`: the port of 127.0.0.1 at which levelset listens. */
  constructor(behind: number) {
    this.#behind = behind;
  }

  async open(): Promise<void> {
    if (this.#server) return;
    const [host = '', port] = lab().listen.split(':');
    const server = createServer((from) => {
      const to = connect(this.#behind, host);
      for (const [socket, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(Number(port), host, resolve);
    });
    this.#server = server;
  }

  async shut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
