import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cloud } from './openstack.ts';
import { lab } from './environment.ts';

/** What Nova answers: a status of its own making, lists without a server in them, or what it has to say. */
export type Novas = 'as it is' | 'no servers' | number;

export interface NovaFront {
  /** For `auth-url` of cloud.conf; its catalog has Nova behind this front, and all else where it is. */
  readonly authUrl: string;
  answers: Novas;
  close(): Promise<void>;
}

const COMPUTE = '/compute';

/** Keystone and Nova on a port of their own, for what a Nova in trouble says. */
export async function startNovaFront(): Promise<NovaFront> {
  const keystone = new URL(lab().levelsetCloud.auth['auth_url'] ?? '').origin;
  const nova = new URL((await cloud().session()).endpoints['compute'] ?? '').origin;
  const server = createServer((request, response) => {
    void (async () => {
      const { url = '/' } = request;
      const isNova = url.startsWith(COMPUTE);
      const said = isNova ? inTrouble(url, front.answers) : undefined;
      const { status, headers, text } =
        said ?? (await forward(isNova ? nova + url.slice(COMPUTE.length) : keystone + url, request));
      response.writeHead(status, headers);
      response.end(text.replaceAll(nova, own + COMPUTE));
    })().catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const front: NovaFront = {
    authUrl: `${own}/v3`,
    answers: 'as it is',
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return front;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function inTrouble(url: string, answers: Novas): Answer | undefined {
  if (typeof answers === 'number')
    return { status: answers, headers: JSON_TYPE, text: '{"message": "no Nova here"}' };
  const isList = url.includes('/servers/detail');
  return answers === 'no servers' && isList
    ? { status: 200, headers: JSON_TYPE, text: '{"servers": []}' }
    : undefined;
}

const PASSED_ON = ['x-auth-token', 'content-type', 'accept', 'user-agent', 'openstack-api-version'];
const PASSED_BACK = ['x-subject-token', 'content-type', 'x-openstack-request-id', 'openstack-api-version'];

async function forward(url: string, request: IncomingMessage): Promise<Answer> {
  const { method = 'GET', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(url, {
    method,
    headers: pick(PASSED_ON, (name) => headers[name]?.toString()),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const back = pick(PASSED_BACK, (name) => answer.headers.get(name) ?? undefined);
  return { status: answer.status, headers: back, text: await answer.text() };
}

function pick(
  names: readonly string[],
  value: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.map((name) => [name, value(name)]).filter(([, text]) => text !== undefined),
  ) as Record<string, string>;
}
