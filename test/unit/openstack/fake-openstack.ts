import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenStackConfig } from '../../../shared/config/config.ts';

export interface Seen {
  readonly path: string;
  readonly token: string | undefined;
  readonly body: unknown;
}

export type Answer = (seen: Seen, response: ServerResponse, count: number) => void;

export type Fake = Awaited<ReturnType<typeof startFake>>;

/** A Keystone whose catalog names the server itself for every service; all other paths go to `answer`. */
export async function startFake(answer: Answer, login: Answer = issueToken()) {
  /** All requests but those for tokens, and the bodies of those. */
  const [seen, logins]: [Seen[], unknown[]] = [[], []];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { url: path = '' } = request;
      const one: Seen = { path, token: [request.headers['x-auth-token']].flat()[0], body };
      if (path.endsWith('/auth/tokens')) login(one, response, logins.push(body));
      else answer(one, response, seen.push(one));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, config: configFor(url), seen, logins },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers every request the same. */
export const always =
  (status: number, body?: unknown): Answer =>
  (_seen, response) => {
    json(response, status, body);
  };

export function configFor(authUrl: string): OpenStackConfig {
  const domain = { name: 'Default' };
  return {
    authUrl,
    region: 'RegionOne',
    interface: 'public',
    tlsInsecure: false,
    requestTimeoutMs: 2_000,
    credentials: {
      type: 'password',
      user: { name: 'demo', domain },
      password: 'hunter2',
      project: { name: 'demo', domain },
    },
  };
}

/** Answers `token-1`, `token-2`, ..., each with a life in seconds. */
export function issueToken({ seconds = 3600 } = {}): Answer {
  return (_seen, response, count) => {
    const host = String(response.req.headers.host);
    const endpoint = (type: string) => ({
      type,
      endpoints: [{ interface: 'public', region_id: 'RegionOne', url: `http://${host}/${type}` }],
    });
    const now = Date.parse('2031-01-01T00:00:00Z');
    response.setHeader('x-subject-token', `token-${count}`);
    json(response, 201, {
      token: {
        issued_at: new Date(now).toISOString(),
        expires_at: new Date(now + seconds * 1000).toISOString(),
        project: { id: 'b80f94f5e8a8495ba3d94c191e8b17f2' },
        catalog: ['load-balancer', 'network', 'key-manager'].map(endpoint),
      },
    });
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-openstack-request-id': 'req-1' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}
