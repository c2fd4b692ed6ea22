import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { aConfig } from '../../support/config.ts';
import { listening } from '../../support/for-one-test.ts';

export interface Seen {
  readonly path: string;
  readonly token: string | undefined;
  readonly body: unknown;
}

export type Answer = (seen: Seen, response: ServerResponse, count: number) => void;

export type Fake = Awaited<ReturnType<typeof startFake>>;

/** A Keystone whose catalog names the server itself for every service; all other paths go to `answer`. */
export async function startFake(answer: Answer, login: Answer = issueToken) {
  /** All requests but those for tokens, and the bodies of those. */
  const [seen, logins]: [Seen[], unknown[]] = [[], []];
  const url = await listening((request, response) => {
    void text(request).then((sent) => {
      const body: unknown = sent === '' ? undefined : JSON.parse(sent);
      const { url: path = '' } = request;
      const one: Seen = { path, token: [request.headers['x-auth-token']].flat()[0], body };
      if (path.endsWith('/auth/tokens')) login(one, response, logins.push(body));
      else answer(one, response, seen.push(one));
    });
  });
  return { url, config: configFor(url), seen, logins };
}

/** Answers every request the same. */
export const always =
  (status: number, body?: unknown): Answer =>
  (_seen, response) => {
    json(response, status, body);
  };

export function configFor(authUrl: string): OpenStackConfig {
  const { openstack } = aConfig(authUrl);
  return {
    ...{ ...openstack, region: 'RegionOne', requestTimeoutMs: 2_000 },
    credentials: { ...openstack.credentials, password: 'hunter2' } as OpenStackConfig['credentials'],
  };
}

/** Answers `token-1`, `token-2`, ..., each with a life of an hour. */
export const issueToken: Answer = (_seen, response, count) => {
  const host = String(response.req.headers.host);
  const endpoint = (type: string) => ({
    type,
    endpoints: [{ interface: 'public', region_id: 'RegionOne', url: `http://${host}/${type}` }],
  });
  response.setHeader('x-subject-token', `token-${count}`);
  json(response, 201, {
    token: {
      issued_at: '2031-01-01T00:00:00.000Z',
      expires_at: '2031-01-01T01:00:00.000Z',
      project: { id: 'b80f94f5e8a8495ba3d94c191e8b17f2' },
      catalog: ['load-balancer', 'network', 'key-manager'].map(endpoint),
    },
  });
};

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-openstack-request-id': 'req-1' });
  response.end(JSON.stringify(body));
}
