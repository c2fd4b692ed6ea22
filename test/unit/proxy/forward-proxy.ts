import { createServer, request as ask, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export type ForwardProxy = Awaited<ReturnType<typeof startForwardProxy>>;

export interface ForwardProxyOptions {
  /** Whom it knows: `host:port` to a port of this machine. Nobody else resolves these names. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `user:password`. */
  readonly credentials: string;
}

/** A proxy as companies have one: CONNECT for https, whole URLs for http (RFC 9110, 9.3.6; RFC 9112, 3.2.2). */
export async function startForwardProxy({ hosts, credentials }: ForwardProxyOptions) {
  /** `CONNECT host:port` of each tunnel and `GET http://...` of each request that it passed on, and what it refused. */
  const asked: string[] = [];
  const open = new Set<Socket>();
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const refusal = ({ headers }: IncomingMessage, host: string): 407 | 502 | undefined => {
    if (headers['proxy-authorization'] !== expected) return 407;
    return hosts[host] === undefined ? 502 : undefined;
  };
  const server = createServer((request, response) => {
    const target = URL.parse(request.url ?? '');
    const host = `${target?.hostname}:${target?.port}`;
    const refused = target === null ? 400 : refusal(request, host);
    asked.push(`${request.method} ${request.url}${refused === undefined ? '' : ` ${refused}`}`);
    if (refused !== undefined) return void response.writeHead(refused).end();
    const path = `${target?.pathname}${target?.search}`;
    const { method, headers } = request;
    request.pipe(
      ask({ host: '127.0.0.1', port: hosts[host], path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }).on('error', () => response.destroy()),
    );
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const host = request.url ?? '';
    const refused = refusal(request, host);
    asked.push(`CONNECT ${host}${refused === undefined ? '' : ` ${refused}`}`);
    client.on('error', () => client.destroy());
    if (refused !== undefined) return void client.end(`HTTP/1.1 ${refused} Refused\r\n\r\n`);
    const upstream = connect(hosts[host] ?? 0, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** Without user and password. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
